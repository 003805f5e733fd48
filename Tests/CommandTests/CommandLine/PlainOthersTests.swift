import CollSync
import ModelSupport
import SyncClient
import SyncModel
import SyncTerminal
import SyncWire
import Testing

@testable import collsync_cli

/// The messages about other members of a room.
@Suite struct PlainOthersTests {
    private let anna = id("anna")
    private let bert = id("bert")
    private let replica: Replica

    init() throws {
        let title = Field(name: id("title"), value: .text("Milk"))
        let items = [
            Item(id: id("1"), content: try ItemContent(fields: [title])),
            Item(id: id("2")),
        ]
        var replica = Replica()
        let section = ListSection(id: id("main"))
        replica.load(
            Snapshot(
                revision: 1, sections: [Snapshot.SectionState(section: section, items: items)]))
        self.replica = replica
    }

    private func shows(
        _ client: Identifier, _ selected: [String] = [], highlighted: [String] = [],
        user: String = "", name: String = ""
    ) -> PresenceChange {
        let state = PresenceState(
            selected: selected.map(ModelSupport.id), highlighted: highlighted.map(ModelSupport.id))
        let update = PresenceUpdate(
            room: 1, client: client, user: user, displayName: name, state: state)
        return .shows(MemberPresence(client, SeenPresence(update)))
    }

    @Test func reportsWhoComesSelectsAndGoes() {
        var others = PlainOthers()
        #expect(others.list(in: replica) == "Nobody else is here.\n")
        #expect(
            others.describe([shows(anna), shows(bert, ["1", "2"], user: "Bert")], in: replica)
                == "anna is here.\nBert is here and has selected Milk, 2.\n")
        #expect(others.describe([shows(anna, highlighted: ["1"])], in: replica) == "")
        #expect(
            others.describe([shows(anna, ["1"])], in: replica) == "anna has selected Milk.\n")
        #expect(others.list(in: replica) == "  anna: Milk\n  Bert: Milk, 2\n")
        #expect(others.describe([shows(anna)], in: replica) == "anna has nothing selected.\n")
        #expect(others.describe([.left(bert)], in: replica) == "Bert is gone.\n")
        #expect(others.list(in: replica) == "  anna\n")
    }
    @Test func theNameToShowComesFirst() {
        var others = PlainOthers()
        _ = others.describe([shows(bert, user: "u-17", name: "Bert B.")], in: replica)
        #expect(others.list(in: replica) == "  Bert B.\n")
    }
}
