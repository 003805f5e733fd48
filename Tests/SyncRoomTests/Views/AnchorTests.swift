import ModelSupport
import RoomSupport
import SyncLayout
import SyncModel
import SyncRoom
import SyncWire
import Testing

/// Views that go to an item, wherever it is.
@Suite("Going to an item")
struct AnchorTests {
    private let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
    private let viewer = ConnectionID(value: 1)
    private let writer = ConnectionID(value: 2)
    /// One item a line, with lines 60 points apart.
    private let column: LayoutSpec = {
        var spec = LayoutSpec(kind: .flow)
        spec.options.itemSize = ListSize(width: 100, height: 50)
        return spec
    }()

    /// A hundred items `i0`…, and a viewer of the first ones.
    init() throws {
        _ = try room.settled.join(Admission(member: writer, client: id("w"), viewOnly: true))
        _ = try room.settled.join(Admission(member: viewer, client: id("v"), viewOnly: true))
        room.appended(through: try submit(1, (0..<100).map { .insert("i\($0)") }))
    }

    /// - Returns: the number of the record to append.
    private func submit(_ counter: UInt64, _ operations: [ListOperation]) throws -> UInt64 {
        let transaction = ListTransaction(base: counter - 1, operations: operations)
        _ = room.receive(try PackedTransaction(transaction), counter: counter, from: writer)
        return try #require(room.endTurn(wallClockMilliseconds: 0)).sequence
    }

    private func open(to item: String? = nil, at y: Double = 0) throws {
        try room.settled.show(
            ViewDemand(
                view: 1, spec: column, bounds: ListRect(width: 150, height: 300),
                anchor: item.map { .item(ItemAnchor(item: id($0), distance: ListPoint(y: y))) }),
            to: viewer)
    }

    private func go(to item: String, at y: Double = 0) throws {
        let anchor = ItemAnchor(item: id(item), distance: ListPoint(x: 7, y: y))
        try room.settled.show(ViewDemand(view: 1, anchor: .item(anchor)), to: viewer)
    }

    private func scroll(to y: Double) throws {
        try room.settled.show(
            ViewDemand(view: 1, bounds: ListRect(y: y, width: 150, height: 300)), to: viewer)
    }

    /// The viewer's updates of a while later.
    private func updates() throws -> [ViewUpdate] {
        clock.now += 100
        var frames: [EncodedFrame] = []
        room.compose(with: MessageEncoder(), at: clock.now) { sent, _ in frames += sent }
        room.ready(viewer)
        return try frames.compactMap { frame in
            if case .viewUpdate(let update) = try frame.message() { update } else { nil }
        }
    }

    private let clock = Clock()

    private final class Clock {
        var now: UInt64 = 0
    }

    private func items(_ update: ViewUpdate?) -> [String] {
        (update?.appeared ?? []).map(\.id.text)
    }

    @Test("the bounds go to the requested distance from the item")
    func there() throws {
        try open()
        #expect(try updates().map(\.shift) == [nil])
        try go(to: "i50", at: 20)
        let update = try #require(try updates().first)
        #expect(update.shift == ListPoint(y: 2980))
        #expect(items(update) == ["i49", "i50", "i51", "i52", "i53", "i54"])
        #expect(update.disappeared.count == 5)
        // The content ends here, so the bounds can come no closer.
        try go(to: "i99")
        #expect(try updates().map(\.shift) == [ListPoint(y: 5690 - 2980)])
        try go(to: "i0", at: 20)
        #expect(try updates().map(\.shift) == [ListPoint(y: -5690)])
    }

    @Test("a view may begin at an item")
    func beginning() throws {
        try open(to: "i7", at: -10)
        let updates = try updates()
        #expect(updates.map(\.isFirst) == [true] && updates.map(\.shift) == [ListPoint(y: 430)])
        #expect(items(updates.first) == ["i7", "i8", "i9", "i10", "i11", "i12"])
    }

    @Test("an update follows in any case, and nothing moves where there is no such item")
    func inAnyCase() throws {
        try open()
        _ = try updates()
        try go(to: "i0")
        #expect(try updates().map(\.shift) == [nil])
        try go(to: "nobody")
        #expect(try updates().map(\.shift) == [nil])
        #expect(try updates().isEmpty)
    }

    @Test("a view goes to a new item as soon as that is durable")
    func notDurable() throws {
        try open()
        _ = try updates()
        let record = try submit(2, [.insert("late")])
        try go(to: "late", at: 250)
        let first = try updates()
        #expect(first.map(\.shift) == [nil] && first.map(\.revision) == [1])
        room.appended(through: record)
        let second = try updates()
        #expect(second.map(\.shift) == [ListPoint(y: 5750)] && second.map(\.revision) == [2])
        #expect(items(second.first).last == "late")
    }

    @Test("scrolling cancels the way to an item, and so does going to another item")
    func scrolledOn() throws {
        try open()
        _ = try updates()
        let record = try submit(2, [.insert("late")])
        try go(to: "late")
        try scroll(to: 60)
        room.appended(through: record)
        #expect(try updates().map(\.shift) == [nil])
        try go(to: "i50")
        try go(to: "i10")
        #expect(try updates().map(\.shift) == [ListPoint(y: 540)])
        #expect(try updates().isEmpty)
    }

    @Test("a view does not wait for an item that is deleted before it is durable")
    func deleted() throws {
        try open()
        _ = try updates()
        _ = try submit(2, [.insert("late")])
        try go(to: "late")
        room.appended(through: try submit(3, [.delete(id("late"))]))
        #expect(try updates().map(\.shift) == [nil])
        room.appended(through: try submit(4, [.insert("late")]))
        #expect(try updates().allSatisfy { $0.shift == nil }, "the new item is another one")
    }

    @Test("a distance that is not a number is refused")
    func refused() throws {
        try open()
        #expect(throws: RoomRefusal.self) { try go(to: "i5", at: .nan) }
    }

    // MARK: The beginning

    /// Items 110 points apart, in a row.
    private func row(rtl isRightToLeft: Bool) -> LayoutSpec {
        var spec = LayoutSpec(kind: .flow)
        spec.scrollDirection = .horizontal
        spec.rtl = isRightToLeft
        spec.options.itemSize = ListSize(width: 100, height: 50)
        return spec
    }

    @Test(
        "a view may begin at the beginning, wherever that is",
        arguments: [
            (false, 0.0, 0.0, nil), (true, 0, 0, 10_690), (true, 7000, 0, 3690),
            (false, 7000, 0, -7000), (true, 0, 8, 10_698), (false, 0, 8, -8),
        ] as [(Bool, Double, Double, Double?)])
    func opened(isRightToLeft: Bool, x: Double, inset: Double, shift: Double?) throws {
        let surroundings = LayoutEnvironment(
            viewport: ListSize(width: 0, height: 0),
            contentInset: Insets(left: inset, right: inset))
        try room.settled.show(
            ViewDemand(
                view: 1, spec: row(rtl: isRightToLeft), surroundings: surroundings,
                bounds: ListRect(x: x, width: 300, height: 60), anchor: .beginning),
            to: viewer)
        let updates = try updates()
        #expect(updates.map(\.isFirst) == [true])
        #expect(updates.map(\.shift) == [shift.map { ListPoint(x: $0) }])
        #expect(items(updates.first) == ["i0", "i1", "i2"])
    }

    @Test("a view goes to the beginning, and an update follows in any case")
    func scrolledToBeginning() throws {
        try room.settled.show(
            ViewDemand(
                view: 1, spec: row(rtl: true), bounds: ListRect(width: 300, height: 60)),
            to: viewer)
        #expect(items(try updates().first) == ["i97", "i98", "i99"])
        let beginning = ViewDemand(view: 1, anchor: .beginning)
        try room.settled.show(beginning, to: viewer)
        #expect(try updates().map(\.shift) == [ListPoint(x: 10_690)])
        try room.settled.show(beginning, to: viewer)
        #expect(try updates().map(\.shift) == [nil])
        try room.settled.show(
            ViewDemand(view: 1, spec: column, bounds: ListRect(y: 90, width: 150, height: 300)),
            to: viewer)
        try room.settled.show(beginning, to: viewer)
        #expect(try updates().map(\.shift) == [ListPoint(y: -90)])
        try room.settled.show(beginning, to: viewer)
        try scroll(to: 600)
        #expect(try updates().map(\.shift) == [nil], "scrolling cancels the way")
        // Content that is shorter than the screen begins where it is.
        room.appended(through: try submit(2, (1..<100).map { .delete(id("i\($0)")) }))
        try room.settled.show(
            ViewDemand(
                view: 1, spec: row(rtl: true), bounds: ListRect(width: 301, height: 60), seen: 5,
                anchor: .beginning), to: viewer)
        #expect(try updates().map(\.shift) == [nil])
    }

    // MARK: Another layout

    @Test("a place in another layout stays while the room changes")
    func placed() throws {
        try open()
        try scroll(to: 310)
        _ = try updates()
        room.appended(through: try submit(2, [insertion]))
        let bounds = ListRect(y: 620, width: 260, height: 300)
        try room.settled.show(ViewDemand(view: 1, bounds: bounds), to: viewer)
        let placed = try updates()
        #expect(placed.map(\.shift) == [nil] && placed.map(\.revision) == [2])
        // Two items a line, and one more at the beginning.
        #expect(items(placed.first).first == "i19")
        room.appended(through: try submit(3, [.delete(id("new"))]))
        #expect(try updates().map(\.revision) == [3])
    }

    @Test("a place counts until the update, whatever else is asked for before it")
    func placedUntilShown() throws {
        try open()
        try scroll(to: 310)
        _ = try updates()
        for width in [260.0, 370] {
            let bounds = ListRect(width: width, height: 300)
            try room.settled.show(ViewDemand(view: 1, bounds: bounds), to: viewer)
        }
        try room.settled.show(ViewDemand(view: 1, spec: row(rtl: false)), to: viewer)
        let updates = try updates()
        #expect(updates.map(\.shift) == [nil] && items(updates.first).first == "i0")
    }

    // MARK: What keeps its place while the room changes

    private let insertion = ListOperation.insert(
        Item(id: id("new")), to: Placement(section: id("main"), position: .index(0)))

    /// Starts the screen at `i5`, and then changes the room.
    private func shift(_ operations: [ListOperation]) throws -> ListPoint? {
        try open()
        try scroll(to: 310)
        _ = try updates()
        room.appended(through: try submit(2, operations))
        return try updates().first?.shift
    }

    @Test("the first item on the screen stays there, whatever comes before it")
    func stays() throws {
        #expect(try shift([insertion]) == ListPoint(y: 60))
    }

    @Test("if the first item is moved, alone or with its section, the first unmoved one stays")
    func moved() throws {
        let end = Placement(section: id("main"))
        #expect(try shift([.move(id("i5"), to: end)]) == ListPoint(y: -60))
    }

    @Test("if the first item is deleted, the next one stays")
    func deletedAnchor() throws {
        #expect(try shift([.delete(id("i5"))]) == ListPoint(y: -60))
    }

    @Test("a moved item is no anchor, even if it comes back to its place")
    func movedBack() throws {
        let there = Placement(section: id("main"), position: .index(0))
        let back = Placement(position: .after(id("i4")))
        let moves = [there, back].map { ListOperation.move(id("i5"), to: $0) }
        #expect(try shift(moves + [insertion]) == ListPoint(y: 60))
    }

    @Test("if all items on the screen are moved, the offset stays")
    func allMoved() throws {
        let section = ListSection(id: id("other"))
        #expect(
            try shift([
                .insertSection(section, to: Placement()),
                .moveSection(id("main"), to: Placement()),
                insertion,
            ]) == nil)
    }
}
