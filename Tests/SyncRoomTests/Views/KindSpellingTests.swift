import ModelSupport
import RoomSupport
import SyncLayout
import SyncModel
import SyncRoom
import SyncWire
import Testing

/// Kinds come from clients, and are compared byte by byte. Two that look the same are two on each
/// screen, and a view has the kinds of its own client's layout.
@Suite("Two spellings of a kind on a screen")
struct KindSpellingTests {
    private let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
    private let kinds = Spellings.all.map { id($0) }

    private func join(_ number: UInt64) throws -> ConnectionID {
        let member = ConnectionID(value: number)
        _ = try room.settled.join(
            Admission(member: member, client: id("v\(number)"), viewOnly: true))
        return member
    }

    /// Shows a layout with a decoration of each kind, and takes the update that follows.
    private func show(
        _ kinds: [Identifier], to viewer: ConnectionID, at now: UInt64
    ) throws -> ViewUpdate? {
        var spec = LayoutSpec(kind: .flow)
        spec.options.sectionInset = Insets(top: 100)
        spec.options.decorations = kinds.map { kind in
            // A kind has the same frame in whatever order the kinds are.
            let number = self.kinds.firstIndex(of: kind) ?? 0
            return Decoration(kind: kind, inset: Insets(left: Double(number)))
        }
        try room.settled.show(
            ViewDemand(view: 1, spec: spec, bounds: ListRect(width: 300, height: 300)), to: viewer)
        var updates: [ViewUpdate] = []
        var frames: [EncodedFrame] = []
        room.compose(with: MessageEncoder(), at: now) { sent, _ in frames += sent }
        room.ready(viewer)
        for frame in frames {
            if case .viewUpdate(let update) = try frame.message() { updates.append(update) }
        }
        #expect(updates.count < 2)
        return updates.last
    }

    @Test("they are told apart, in whatever order they come")
    func difference() throws {
        let viewer = try join(1)
        let first = try #require(try show(kinds, to: viewer, at: 100))
        #expect(
            first.appeared.map(\.element.identity)
                == kinds.map { .decoration(kind: $0, section: 0) }
        )
        let next = try show(kinds.reversed(), to: viewer, at: 200)
        #expect(next?.appeared == [] && next?.changed == [] && next?.disappeared == [])
        for (kind, shown) in zip(kinds, first.appeared).dropLast() {
            let left = kinds.drop { $0 != kind }.dropFirst()
            let update = try show(Array(left), to: viewer, at: 1_000 * UInt64(1 + shown.key))
            #expect(update?.disappeared.map(\.key) == [shown.key], "\(kind)")
            #expect(update?.appeared == [] && update?.changed == [])
        }
    }

    @Test("a view gets the spelling of its own layout")
    func shared() throws {
        for (number, kind) in kinds.enumerated() {
            let update = try show([kind], to: try join(UInt64(1 + number)), at: 100)
            #expect(
                update?.appeared.map(\.element.identity) == [.decoration(kind: kind, section: 0)])
        }
        #expect(room.layoutCount == kinds.count)
    }
}
