import ModelSupport
import SeededRandom
import SyncClient
import SyncModel
import SyncWire
import Testing

@testable import CollSync

/// Texts that try to command a terminal, in all places where a server can put one.
struct HostileText {
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    private static let pieces = [
        "\u{1B}]0;owned\u{7}", "\u{1B}[2J", "\u{9B}31m", "\r", "\n", "\u{8}\u{8}", "\u{202E}",
        "\u{2066}",
        "\u{2028}", "\u{85}", "\u{7F}", "\u{0}", "plain", "é", "\u{61C}", "\u{90}q", "\u{200F}",
        "\"", "\\",
        "\u{1B}P1;1|\u{1B}\\", "日本", "\u{E0041}", "\t",
    ]

    mutating func text() -> String {
        (0..<(1 + Int(random.next() % 12))).map { _ in
            HostileText.pieces[Int(random.next() % UInt64(HostileText.pieces.count))]
        }.joined()
    }

    /// A name can't contain control characters, but it can contain others that are as bad.
    mutating func name() -> Identifier {
        let bytes = text().unicodeScalars.filter { $0.properties.generalCategory != .control }
        let name = String(String.UnicodeScalarView(bytes.prefix(20)))
        return (try? Identifier(name)) ?? id("\u{202E}x")
    }

    mutating func error() -> CollectionError {
        CollectionError(.server(.unavailable, message: text(), retry: true))
    }

    private mutating func item() -> Item {
        let field = Field(name: id("title"), value: .text(text()))
        let named = random.next() % 2 == 0 ? [] : [field]
        return Item(id: name(), content: (try? ItemContent(fields: named)) ?? ItemContent())
    }

    private mutating func section() -> ListSection {
        let field = Field(name: id("name"), value: .text(text()))
        return ListSection(
            id: name(), content: (try? SectionContent(fields: [field])) ?? SectionContent())
    }

    mutating func events() throws -> [RoomEvent] {
        let room = try #require(RoomName("room\u{202E}"))
        let (held, items) = (section(), [item(), item()])
        let snapshot = Snapshot(
            revision: 1, sections: [Snapshot.SectionState(section: held, items: items)])
        var stage = Stage()
        let (other, otherSection) = (item(), section())
        let changed = Item(id: items[0].id, content: other.content)
        stage.reloads = [Stage.PlacedItem(path: ItemPath(section: 0, item: 0), item: changed)]
        stage.inserts = [Stage.PlacedItem(path: ItemPath(section: 0, item: 2), item: item())]
        stage.changedSections = [
            Stage.PlacedSection(
                index: 0, section: ListSection(id: held.id, content: otherSection.content))
        ]
        let batch = Batch(from: 1, to: 2, stages: [stage], sections: 1)
        let identity = RoomIdentity(
            RoomID(high: 1, low: 1), Epoch(EpochID(value: 1), first: 0))
        let welcome = RoomWelcome(
            Joined(
                request: 1, handle: 1, room: room, client: name(), user: text(),
                role: .editor, revision: 1, resumed: false, identity: identity),
            version: 1)
        return [
            .joined(welcome), .snapshot(snapshot), .batch(batch),
            .rejected(number: 1, Rejection(code: .malformed, message: text())),
            .nearLimit(QuotaUse(.items, used: 80, limit: 100)),
            .interrupted(error(), retryAfterMilliseconds: 1), .ended(error()),
        ]
    }

    mutating func presence() -> [PresenceChange] {
        let client = name()
        let update = PresenceUpdate(
            room: 1, client: client, user: text(), state: PresenceState(selected: [name()]))
        return [
            .shows(MemberPresence(client, SeenPresence(update))),
            .left(client), .left(name()),
        ]
    }
}

/// Nothing in a text commands a terminal, but for the ends of its lines.
func expectNoCommands(in text: String, seed: UInt64) {
    for scalar in text.unicodeScalars where scalar != "\n" {
        let isCommand =
            scalar.properties.generalCategory == .control
            || scalar.properties.isBidiControl
            || ["\u{2028}", "\u{2029}"].contains(scalar)
        #expect(!isCommand, "U+\(String(scalar.value, radix: 16)), seed \(seed)")
    }
}
