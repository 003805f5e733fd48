import ModelSupport
import SyncLayout
import SyncModel
import SyncSim
import SyncWire
import Testing

/// Bounds that come with another layout or another width, as seen on the wire.
@Suite("Bounds with another layout")
final class PlacedBoundsTests {
    private static let column = ViewLayout(.flow) {
        $0.itemSize = ListSize(width: 100, height: 50)
    }
    /// Lines are 50 points apart.
    private static let waterfall = ViewLayout(.waterfall) {
        $0.itemSize = ListSize(width: 150, height: 50)
        $0.columnCount = 1
        $0.minimumInteritemSpacing = 0
    }
    /// Columns are 110 points apart.
    private static let row: ViewLayout = {
        var spec = LayoutSpec(kind: .flow)
        spec.scrollDirection = .horizontal
        spec.options.itemSize = ListSize(width: 100, height: 50)
        return ViewLayout(spec)
    }()

    private let world: World
    private let writer: RawClient
    private let viewer: RawClient
    private let room: RoomHandle
    /// How many updates came before the last request.
    private var before = 0

    /// A room with a hundred items `i0`…, and a viewer at y 200 of a flow with lines 60 points
    /// apart: at its top are the last 30 points of `i3`.
    init() throws {
        world = try World()
        (writer, room) = try world.join("writer")
        writer.submit(1, in: room, (0..<100).map { .insert("i\($0)") })
        viewer = try world.greet("v")
        let request = viewer.join("room", viewOnly: true)
        let (world, writer, viewer, room) = (world, writer, viewer, room)
        #expect(world.run { viewer.joined[request] != nil && writer.revision(room) == 1 })
        ask(PlacedBoundsTests.column, ListRect(width: 150, height: 300))
        ask(bounds: ListRect(y: 200, width: 150, height: 300))
        world.run(forMilliseconds: 500)
    }

    /// Sends a request, as of the last update.
    private func ask(_ layout: ViewLayout? = nil, bounds: ListRect? = nil, seen: UInt64? = nil) {
        let last = viewer.viewUpdates.last?.number ?? 0
        viewer.send(
            .view(
                ViewRequest(
                    room: room, view: 1, layout: layout, bounds: bounds, seen: seen ?? last)))
    }

    private func ask(_ layout: ViewLayout?, _ bounds: ListRect, seen: UInt64? = nil) {
        ask(layout, bounds: bounds, seen: seen)
    }

    /// By how much the bounds are moved by the updates for a request.
    private func shift(_ ask: () -> Void) throws -> ListPoint {
        before = viewer.viewUpdates.count
        ask()
        #expect(world.run { viewer.viewUpdates.count > before })
        world.run(forMilliseconds: 500)
        return viewer.viewUpdates[before...].compactMap(\.shift).reduce(into: ListPoint()) {
            $0 += $1
        }
    }

    /// The items that the updates for the last request show anew.
    private var appeared: [String] {
        viewer.viewUpdates[before...].flatMap { $0.appeared.map(\.id.text) }
    }

    @Test("another origin is a place in the new layout")
    func placed() throws {
        let there = ListRect(y: 3000, width: 150, height: 300)
        #expect(try shift { ask(PlacedBoundsTests.waterfall, there) } == ListPoint())
        #expect(appeared == (60..<66).map { "i\($0)" })
        let beyond = ListRect(y: 9000, width: 150, height: 300)
        #expect(try shift { ask(PlacedBoundsTests.column, beyond) } == ListPoint())
        #expect(appeared == [], "the content ends before")
    }

    @Test("another origin is a place in the layout of another width, or another height")
    func placedWidth() throws {
        let wide = ListRect(width: 480, height: 300)
        #expect(try shift { ask(nil, wide) } == ListPoint())
        #expect(viewer.viewUpdates.last?.contentSize == ListSize(width: 480, height: 1490))
        #expect(appeared.contains("i0"))
        #expect(
            try shift { ask(PlacedBoundsTests.row, ListRect(x: 1100, width: 480, height: 50)) }
                == ListPoint())
        #expect(
            try shift { ask(nil, ListRect(x: 550, width: 480, height: 110)) } == ListPoint())
        // Two items a line: those from i10 on, of which some were there.
        #expect(appeared == ["i15", "i16", "i17", "i18", "i19"])
    }

    @Test("the same origin keeps the anchor, and so does no origin at all")
    func anchored() throws {
        let same = ListRect(y: 200, width: 150, height: 300)
        // The top of i3 moves from y 180 to y 150.
        #expect(try shift { ask(PlacedBoundsTests.waterfall, same) } == ListPoint(y: -30))
        #expect(try shift { ask(PlacedBoundsTests.column) } == ListPoint(y: 30))
        let wide = ListRect(y: 200, width: 480, height: 300)
        #expect(try shift { ask(nil, wide) } == ListPoint(y: -180), "i3 is in the first line")
    }

    @Test("an origin that a screen has rounded is the same")
    func rounded() throws {
        let near = ListRect(x: -0.5, y: 200.75, width: 150, height: 300)
        #expect(try shift { ask(PlacedBoundsTests.waterfall, near) } == ListPoint(y: -30))
        let far = ListRect(x: -0.5, y: 171.75, width: 150, height: 300)
        #expect(try shift { ask(PlacedBoundsTests.column, far) } == ListPoint())
    }

    /// Inserts two lines above the screen.
    private func insertAbove() throws -> (before: UInt64, after: UInt64) {
        let before = try #require(viewer.viewUpdates.last?.number)
        let top = Placement(section: id("main"), position: .index(0))
        writer.submit(2, in: room, ["a", "b"].map { .insert(Item(id: id($0)), to: top) })
        #expect(world.run { viewer.viewUpdates.last?.shift == ListPoint(y: 120) })
        return (before, try #require(viewer.viewUpdates.last?.number))
    }

    @Test(
        "the origin is compared with the shifts that the client has confirmed",
        arguments: [
            (320.0, true, true), (200, true, false), (200, false, true), (320, false, false),
        ]
    )
    func confirmed(y: Double, isSeen: Bool, isSame: Bool) throws {
        let (before, after) = try insertAbove()
        let bounds = ListRect(y: y, width: 150, height: 300)
        let shift = try shift {
            ask(PlacedBoundsTests.waterfall, bounds, seen: isSeen ? after : before)
        }
        // i3 is at y 300 of the flow, and at y 250 of the waterfall. The origin is 20 behind it.
        #expect(shift == (isSame ? ListPoint(y: -50) : ListPoint()))
    }

    @Test("shifts that were confirmed count for later requests, too")
    func confirmedBefore() throws {
        let (_, after) = try insertAbove()
        ask(nil, ListRect(y: 330, width: 150, height: 300), seen: after)
        world.run(forMilliseconds: 500)
        let same = ListRect(y: 330, width: 150, height: 300)
        #expect(try shift { ask(PlacedBoundsTests.waterfall, same) } == ListPoint(y: -50))
    }

    @Test("scrolling after another layout moves the bounds from the anchor, before its update, too")
    func scrolledOn() throws {
        let shift = try shift {
            ask(PlacedBoundsTests.waterfall)
            ask(nil, ListRect(y: 240, width: 150, height: 300))
        }
        #expect(shift == ListPoint(y: -30))
    }

    @Test("scrolling before another layout counts, also beyond what the screen has had")
    func scrolledBefore() throws {
        let shift = try shift {
            ask(nil, ListRect(y: 260, width: 150, height: 300))
            ask(PlacedBoundsTests.waterfall)
        }
        // i4 moves from y 240 to y 200.
        #expect(shift == ListPoint(y: -40))
    }
}
