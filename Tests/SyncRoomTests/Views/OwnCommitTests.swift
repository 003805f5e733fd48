import ModelSupport
import RoomSupport
import SyncLayout
import SyncModel
import SyncRoom
import SyncWire
import Testing

/// A client that holds its screens alone learns of a newer base by its own commits.
@Suite("A member's own commit")
struct OwnCommitTests {
    private let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
    private let editor = ConnectionID(value: 1)
    private let other = ConnectionID(value: 2)

    init() throws {
        for (member, name) in [(editor, "e"), (other, "o")] {
            _ = try room.settled.join(Admission(member: member, client: id(name), viewOnly: true))
        }
        var spec = LayoutSpec(kind: .flow)
        spec.options.itemSize = ListSize(width: 100, height: 50)
        room.appended(through: try submit(1, 0, (0..<100).map { .insert("i\($0)") }, by: other))
        for view: ViewNumber in [1, 2] {
            try room.settled.show(
                ViewDemand(
                    view: view, spec: spec, bounds: ListRect(width: 150, height: 300)),
                to: editor)
        }
    }

    private func submit(
        _ counter: UInt64, _ base: Revision, _ operations: [ListOperation],
        by member: ConnectionID
    ) throws -> UInt64 {
        let transaction = ListTransaction(base: base, operations: operations)
        _ = room.receive(try PackedTransaction(transaction), counter: counter, from: member)
        return try #require(room.endTurn(wallClockMilliseconds: 0)).sequence
    }

    private func updates(at now: UInt64) throws -> [ViewUpdate] {
        var frames: [EncodedFrame] = []
        room.compose(with: MessageEncoder(), at: now) { sent, _ in frames += sent }
        room.ready(editor)
        return try frames.compactMap { frame in
            if case .viewUpdate(let update) = try frame.message() { update } else { nil }
        }
    }

    @Test("is followed by an update of each view, though nothing differs, and once it is durable")
    func updated() throws {
        #expect(try updates(at: 100).count == 2)
        let field = Field(name: id("t"), value: .text("x"))
        func edit(_ item: String) -> [ListOperation] {
            [.update(id(item), ItemPatch(set: [field]))]
        }
        // Others' edits off the screen bring nothing.
        room.appended(through: try submit(2, 1, edit("i99"), by: other))
        #expect(try updates(at: 200).isEmpty)
        let record = try submit(1, 2, edit("i98"), by: editor)
        #expect(try updates(at: 300).isEmpty)
        room.appended(through: record)
        let told = try updates(at: 400)
        #expect(told.map(\.revision) == [3, 3] && Set(told.map(\.view)) == [1, 2])
        #expect(told.allSatisfy { $0.changed.isEmpty && $0.appeared.isEmpty })
        #expect(try updates(at: 500).isEmpty)
        // What is refused brings nothing, either.
        let refused = ListTransaction(base: 3, operations: [.delete(id("nobody"))])
        _ = room.receive(try PackedTransaction(refused), counter: 2, from: editor)
        if let record = room.endTurn(wallClockMilliseconds: 0) {
            room.appended(through: record.sequence)
        }
        #expect(try updates(at: 600).isEmpty)
    }
}
