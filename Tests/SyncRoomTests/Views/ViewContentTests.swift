import ModelSupport
import RoomSupport
import SyncLayout
import SyncModel
import SyncRoom
import SyncWire
import Testing

/// A view is sent the content of each item and section once, however many elements show it.
@Suite("Contents on a screen")
struct ViewContentTests {
    private let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
    private let viewer = ConnectionID(value: 1)
    private let writer = ConnectionID(value: 2)
    private let clock = Clock()

    private final class Clock {
        var now: UInt64 = 0
    }

    /// A section of ten items with a header, a footer and a background card; each item has a badge
    /// on its corner.
    private let layout: LayoutSpec = {
        var spec = LayoutSpec(kind: .flow)
        spec.options.itemSize = ListSize(width: 100, height: 50)
        spec.options.headerReferenceSize = ListSize(width: 100, height: 20)
        spec.options.footerReferenceSize = ListSize(width: 100, height: 20)
        spec.options.decorations = [Decoration(kind: "card")]
        spec.options.supplementaries = [
            CustomSupplementary(
                kind: "badge", place: .atItem(.topTrailing), size: ListSize(width: 10, height: 10),
                offset: ListPoint(y: 100))
        ]
        return spec
    }()

    init() throws {
        _ = try room.settled.join(Admission(member: writer, client: "w", viewOnly: true))
        _ = try room.settled.join(Admission(member: viewer, client: "v", viewOnly: true))
        try submit(1, (0..<10).map { .insert("i\($0)") })
    }

    private func submit(_ counter: UInt64, _ operations: [ListOperation]) throws {
        let transaction = ListTransaction(base: counter - 1, operations: operations)
        _ = room.receive(try PackedTransaction(transaction), counter: counter, from: writer)
        room.appended(through: try #require(room.endTurn(wallClockMilliseconds: 0)).sequence)
    }

    /// Scrolls, and takes all updates that follow.
    private func show(at y: Double, height: Double = 110) throws -> [ViewUpdate] {
        try room.settled.show(
            ViewDemand(view: 1, spec: layout, bounds: ListRect(y: y, width: 150, height: height)),
            to: viewer)
        return try updates()
    }

    private func updates() throws -> [ViewUpdate] {
        var updates: [ViewUpdate] = []
        repeat {
            clock.now += 100
            var frames: [EncodedFrame] = []
            room.compose(with: MessageEncoder(), at: clock.now) { sent, _ in frames += sent }
            room.ready(viewer)
            for frame in frames {
                if case .viewUpdate(let update) = try frame.message() { updates.append(update) }
            }
        } while updates.last?.hasMore == true
        return updates
    }

    private func sentContents(_ updates: [ViewUpdate]) -> [String] {
        updates.flatMap { $0.items.map(\.id.text) + $0.sections.map(\.id.text) }.sorted()
    }

    private func appeared(_ updates: [ViewUpdate]) -> [String] {
        updates.flatMap(\.appeared).map { "\($0.element.identity.name) \($0.id.text)" }.sorted()
    }

    @Test("a content is sent when the first element that shows it appears, and not again")
    func once() throws {
        let first = try show(at: 0)
        #expect(appeared(first) == ["card main", "cell i0", "cell i1", "header main"])
        #expect(sentContents(first) == ["i0", "i1", "main"])
        // The badges lie below their cells, so they appear later and disappear later.
        let second = try show(at: 90)
        #expect(appeared(second) == ["badge i0", "badge i1", "cell i2"])
        #expect(sentContents(second) == ["i2"])
        let third = try show(at: 150)
        #expect(sentContents(third) == ["i3"], "\(appeared(third))")
        // A section is known while any of its elements is shown.
        let end = try show(at: 560)
        #expect(appeared(end).contains("footer main"))
        #expect(!sentContents(end).contains("main"))
    }

    @Test("an edit sends the content once, whatever shows it, and changes no element")
    func edits() throws {
        _ = try show(at: 0, height: 200)
        let title = Field(name: "title", value: "Two")
        try submit(2, [.update("i0", ItemPatch(set: [title]))])
        let update = try #require(try updates().first)
        #expect(update.items.map(\.content.fields) == [[title]] && update.sections.isEmpty)
        #expect(update.changed.isEmpty && update.appeared.isEmpty)
        try submit(3, [.updateSection("main", SectionPatch(set: [title]))])
        let next = try #require(try updates().first)
        #expect(next.sections.map(\.content.fields) == [[title]] && next.items.isEmpty)
        #expect(next.changed.isEmpty && next.appeared.isEmpty)
    }
}

extension LayoutElement.Identity {
    fileprivate var name: String {
        switch self {
        case .cell: "cell"
        case .supplementary(let kind, _), .itemSupplementary(let kind, _), .decoration(let kind, _):
            kind.text
        }
    }
}
