import ModelSupport
import RoomSupport
import SeededRandom
import SyncIO
import SyncLayout
import SyncModel
import SyncServer
import SyncSim
import SyncWire
import Testing

/// How a server answers requests for views, as seen on the wire.
@Suite("Requests for views")
struct ViewRequestTests {
    private static let column = ViewLayout(.flow) {
        $0.itemSize = ListSize(width: 100, height: 50)
    }

    /// A room with a hundred items `i0`…, one a line, with lines 60 points apart, and its writer.
    private func world(
        _ configure: (inout WireLimits) -> Void = { _ in }
    ) throws -> (world: World, writer: RawClient, room: RoomHandle) {
        let world = try World { configure(&$0.wire) }
        let (writer, room) = try world.join("writer")
        let inserts: [ListOperation] = (0..<100).map { .insert("i\($0)") }
        writer.submit(1, in: room, inserts)
        #expect(world.run { writer.revision(room) == 1 })
        return (world, writer, room)
    }

    private func viewer(_ world: World, _ name: String = "v") throws -> RawClient {
        let viewer = try world.greet(name)
        let request = viewer.join("room", viewOnly: true)
        #expect(world.run { viewer.joined[request] != nil })
        return viewer
    }

    private func open(
        _ viewer: RawClient, _ room: RoomHandle, view: ViewNumber = 1,
        layout: ViewLayout? = ViewRequestTests.column,
        bounds: ListRect? = ListRect(width: 150, height: 300), overscan: Double? = nil
    ) {
        viewer.send(
            .view(
                ViewRequest(
                    room: room, view: view, layout: layout, bounds: bounds, overscan: overscan)))
    }

    private func scroll(_ viewer: RawClient, _ room: RoomHandle, to y: Double, seen: UInt64 = 0) {
        viewer.send(
            .view(
                ViewRequest(
                    room: room, view: 1, bounds: ListRect(y: y, width: 150, height: 300), seen: seen
                )))
    }

    private func items(_ appeared: [ViewUpdate.Appeared]) -> [String] {
        appeared.map(\.id.text)
    }

    /// All items that have appeared in a view that was not scrolled.
    private func shown(_ viewer: RawClient) -> [String] {
        viewer.viewUpdates.flatMap { items($0.appeared) }
    }

    @Test("the first update has what is on the screen, and a view-only member gets nothing else")
    func first() throws {
        let (world, writer, room) = try world()
        let viewer = try viewer(world)
        open(viewer, room)
        #expect(world.run { shown(viewer).count == 5 })
        #expect(shown(viewer) == ["i0", "i1", "i2", "i3", "i4"])
        let first = try #require(viewer.viewUpdates.first)
        #expect(first.isFirst && first.number == 1 && first.revision == 1)
        #expect(first.contentSize == ListSize(width: 150, height: 5990))
        #expect(
            first.appeared.first?.element.frame == ListRect(x: 25, y: 0, width: 100, height: 50))
        writer.submit(2, in: room, [.insert("late")])
        #expect(world.run { writer.revision(room) == 2 })
        world.run(forMilliseconds: 100)
        #expect(viewer.replicas[room]?.snapshotCount == 0)
        #expect(viewer.replicas[room]?.batchCount == 0)
    }

    @Test("scrolling sends what enters and what leaves")
    func scrolling() throws {
        let (world, _, room) = try world()
        let viewer = try viewer(world)
        open(viewer, room)
        #expect(world.run { shown(viewer).count == 5 })
        let before = viewer.viewUpdates.count
        scroll(viewer, room, to: 60)
        #expect(world.run { viewer.viewUpdates.count > before })
        let update = try #require(viewer.viewUpdates.last)
        #expect(items(update.appeared) == ["i5"])
        #expect(update.appeared.allSatisfy { $0.initial.isEmpty }, "it was there before")
        #expect(update.disappeared.map(\.key) == [1])
        #expect(update.changed.isEmpty && update.contentSize == nil && update.shift == nil)
    }

    @Test("an edit on the screen is sent as changes of its elements")
    func edits() throws {
        let (world, writer, room) = try world()
        let viewer = try viewer(world)
        open(viewer, room)
        #expect(world.run { shown(viewer).count == 5 })
        var before = viewer.viewUpdates.count
        let title = Field(name: id("title"), value: .text("Two"))
        writer.submit(2, in: room, [.update(id("i2"), ItemPatch(set: [title]))])
        #expect(world.run { viewer.viewUpdates.count > before })
        let edit = try #require(viewer.viewUpdates.last)
        #expect(edit.changed.isEmpty && edit.appeared.isEmpty && edit.disappeared.isEmpty)
        #expect(edit.items.map(\.content.fields) == [[title]] && edit.sections.isEmpty)
        before = viewer.viewUpdates.count
        writer.submit(3, in: room, [.delete(id("i1"))])
        #expect(world.run { viewer.viewUpdates.count > before })
        let delete = try #require(viewer.viewUpdates.last)
        #expect(delete.disappeared.map(\.key) == [2])
        #expect(delete.disappeared.first?.final.alpha == 0)
        #expect(delete.changed.count == 3, "those below move up")
        #expect(items(delete.appeared) == ["i5"])
        before = viewer.viewUpdates.count
        let second = Placement(section: id("main"), position: .index(1))
        writer.submit(4, in: room, [.insert(Item(id: id("new")), to: second)])
        #expect(world.run { viewer.viewUpdates.count > before })
        let insert = try #require(viewer.viewUpdates.last)
        #expect(items(insert.appeared) == ["new"])
        #expect(insert.appeared.first?.element.frame.y == 60)
        var transparent = ElementPatch()
        transparent.alpha = 0
        #expect(insert.appeared.first?.initial == transparent)
        // The item that is pushed off the screen ends at its new place.
        #expect(insert.disappeared.map(\.final.frame?.y) == [300])
        #expect(insert.disappeared.first?.final.alpha == nil)
    }

    @Test("in a circle, items appear from the middle and disappear there")
    func circle() throws {
        let (world, writer, room) = try world()
        let viewer = try viewer(world)
        open(viewer, room, layout: ViewLayout(.circle))
        #expect(world.run { shown(viewer).count == 100 })
        let before = viewer.viewUpdates.count
        writer.submit(2, in: room, [.delete(id("i1")), .insert("new")])
        #expect(world.run { viewer.viewUpdates.count > before })
        let update = try #require(viewer.viewUpdates.last)
        #expect(items(update.appeared) == ["new"] && update.disappeared.count == 1)
        let new = try #require(update.appeared.first)
        let initial = new.initial.applied(to: new.element)
        #expect(initial.frame.center == ListPoint(x: 75, y: 150) && initial.alpha == 0)
        let final = try #require(update.disappeared.first?.final)
        #expect(final.frame?.center == ListPoint(x: 75, y: 150))
        #expect(final.alpha == 0 && final.scale == 0.1)
    }

    @Test("measured sizes move nothing on the viewer's screen")
    func measuredSizes() throws {
        let (world, _, room) = try world()
        let viewer = try viewer(world)
        open(viewer, room)
        #expect(world.run { shown(viewer).count == 5 })
        scroll(viewer, room, to: 600, seen: viewer.viewUpdates.last?.number ?? 0)
        #expect(world.run { shown(viewer).contains("i14") })
        world.run(forMilliseconds: 100)
        let before = viewer.viewUpdates.count
        let size = ItemPatch(size: .set(ListSize(width: 100, height: 90)))
        viewer.submit(1, in: room, base: 1, [.update(id("i2"), size), .update(id("i14"), size)])
        #expect(world.run { viewer.viewUpdates.count > before })
        world.run(forMilliseconds: 100)
        let updates = viewer.viewUpdates[before...]
        #expect(updates.compactMap(\.shift) == [ListPoint(x: 0, y: 40)])
        // The elements move with the bounds, and the last one has its new height.
        #expect(updates.flatMap(\.changed).compactMap(\.to.frame?.y) == [640, 700, 760, 820, 880])
        #expect(updates.flatMap(\.changed).last?.to.frame?.height == 90)
        #expect(updates.allSatisfy { $0.appeared.isEmpty && $0.disappeared.isEmpty })
    }

    @Test("bounds refer to the content of the last update that the client has seen")
    func crossing() throws {
        let (world, writer, room) = try world()
        let viewer = try viewer(world)
        open(viewer, room)
        #expect(world.run { shown(viewer).count == 5 })
        scroll(viewer, room, to: 600, seen: viewer.viewUpdates.last?.number ?? 0)
        world.run(forMilliseconds: 1000)
        let seen = try #require(viewer.viewUpdates.last?.number)
        // Two more lines above the screen…
        let top = Placement(section: id("main"), position: .index(0))
        writer.submit(
            2, in: room,
            [.insert(Item(id: id("a")), to: top), .insert(Item(id: id("b")), to: top)])
        #expect(world.run { viewer.viewUpdates.last?.shift != nil })
        #expect(viewer.viewUpdates.last?.shift == ListPoint(x: 0, y: 120))
        // …and a step of 60 by a viewer that does not know of them yet.
        let count = viewer.viewUpdates.count
        scroll(viewer, room, to: 660, seen: seen)
        #expect(world.run { viewer.viewUpdates.count > count })
        let step = viewer.viewUpdates[count...].flatMap { items($0.appeared) }
        #expect(step == ["i15"])
    }

    @Test("in a new layout everything begins at its place in the former one")
    func transition() throws {
        let (world, _, room) = try world()
        let viewer = try viewer(world)
        open(viewer, room)
        #expect(world.run { shown(viewer).count == 5 })
        scroll(viewer, room, to: 600, seen: viewer.viewUpdates.last?.number ?? 0)
        #expect(world.run { viewer.viewUpdates.last?.disappeared.isEmpty == false })
        #expect(viewer.viewUpdates.allSatisfy { !$0.isTransition })
        // With lines a third as high i10 is at 200 instead of 600, and i15 is on the screen.
        let low = ViewLayout(.flow) { $0.itemSize = ListSize(width: 100, height: 10) }
        viewer.send(.view(ViewRequest(room: room, view: 1, layout: low)))
        #expect(world.run { viewer.viewUpdates.last?.isTransition == true })
        let update = try #require(viewer.viewUpdates.last)
        #expect(update.shift == ListPoint(x: 0, y: -400))
        #expect(update.changed.count == 5 && update.disappeared.isEmpty)
        let entry = try #require(update.appeared.first)
        #expect(items(update.appeared).first == "i15")
        #expect(entry.element.frame == ListRect(x: 25, y: 300, width: 100, height: 10))
        // 900 in the former content, moved with the bounds.
        let initial = entry.initial.applied(to: entry.element)
        #expect(initial.frame == ListRect(x: 25, y: 500, width: 100, height: 50))
        #expect(initial.alpha == 1)
    }

    @Test("scrolling in a snapping layout ends at a resting place, and is answered")
    func snapping() throws {
        let (world, _, room) = try world()
        let viewer = try viewer(world)
        let line = ViewLayout(.line) { $0.itemSize = ListSize(width: 100, height: 100) }
        let bounds = ListRect(width: 300, height: 300)
        open(viewer, room, layout: line, bounds: bounds)
        #expect(world.run { !shown(viewer).isEmpty })
        func snap(to x: Double) -> ViewUpdate? {
            let count = viewer.viewUpdates.count
            var proposed = bounds
            proposed.x = x
            viewer.send(
                .view(
                    ViewRequest(
                        room: room, view: 1, bounds: proposed,
                        seen: viewer.viewUpdates.last?.number ?? 0, snaps: true)))
            #expect(world.run { viewer.viewUpdates.count > count })
            return viewer.viewUpdates.last
        }
        // Items are 150 points apart, and an item is centred in 300 points if the bounds begin 100
        // before it.
        #expect(snap(to: 910)?.shift == ListPoint(x: 40, y: 0))
        #expect(snap(to: 950)?.shift == nil, "an item is centred already")
        let again = snap(to: 950)
        #expect(again?.appeared.isEmpty == true && again?.changed.isEmpty == true)
    }

    @Test("a slow reader gets one update for all that it missed")
    func slowReader() throws {
        let (world, writer, room) = try world()
        let viewer = try viewer(world)
        open(viewer, room)
        #expect(world.run { shown(viewer).count == 5 })
        world.run(forMilliseconds: 100)
        let before = viewer.viewUpdates.count
        viewer.stream?.isReadingPaused = true
        // Far more than the connection buffers.
        var random = SplitMix64(seed: 1)
        let long = String(
            (0..<4000).map { _ in Character(UnicodeScalar(UInt8(33 + random.below(90)))) })
        for counter in 2...2000 {
            let title = Field(name: id("title"), value: .text("\(counter) \(long)"))
            writer.submit(UInt64(counter), in: room, [.update(id("i2"), ItemPatch(set: [title]))])
            // A viewer that reads is sent a hundred updates.
            if counter % 20 == 0 { world.run(forMilliseconds: 40) }
        }
        #expect(world.run { writer.revision(room) == 2000 })
        viewer.stream?.isReadingPaused = false
        #expect(world.run { viewer.viewUpdates.last?.revision == 2000 })
        #expect(viewer.viewUpdates.count - before < 40, "\(viewer.viewUpdates.count - before)")
    }

    @Test("a closed view sends nothing")
    func closing() throws {
        let (world, writer, room) = try world()
        let viewer = try viewer(world)
        open(viewer, room)
        #expect(world.run { shown(viewer).count == 5 })
        viewer.send(.view(ViewRequest(room: room, view: 1, isClosed: true)))
        world.run(forMilliseconds: 100)
        let before = viewer.viewUpdates.count
        writer.submit(2, in: room, [.delete(id("i1"))])
        #expect(world.run { writer.revision(room) == 2 })
        world.run(forMilliseconds: 100)
        #expect(viewer.viewUpdates.count == before)
        // The number of a closed view may be used again.
        open(viewer, room)
        #expect(world.run { viewer.viewUpdates.count > before })
        #expect(viewer.viewUpdates[before].isFirst)
    }

    // MARK: Refusals

    private func refusal(
        _ world: World, _ viewer: RawClient
    ) throws -> ErrorMessage {
        #expect(world.run { !viewer.viewErrors.isEmpty })
        return try #require(viewer.viewErrors.last)
    }

    @Test(
        "meaningless layouts are refused",
        arguments: [
            ViewLayout(.waterfall) { $0.columnCount = 1 << 53 + 1 },
            ViewLayout(.flow) { $0.decorations = [Decoration(kind: noName)] },
            ViewLayout(.flow) {
                $0.decorations = Array(repeating: Decoration(kind: "d"), count: 65)
            }, nil,
        ])
    func badLayouts(layout: ViewLayout?) throws {
        let (world, _, room) = try world()
        let viewer = try viewer(world)
        open(viewer, room, layout: layout)
        let error = try refusal(world, viewer)
        #expect(error.code == .badView && error.subject == .view(1, in: room), "\(error)")
        #expect(viewer.viewUpdates.isEmpty && !viewer.isClosed)
    }

    @Test(
        "invalid bounds are refused",
        arguments: [
            ListRect(x: .nan, width: 10, height: 10), ListRect(width: .infinity, height: 10),
            ListRect(width: -1, height: 10), nil,
        ])
    func badBounds(bounds: ListRect?) throws {
        let (world, _, room) = try world()
        let viewer = try viewer(world)
        open(viewer, room, bounds: bounds)
        #expect(try refusal(world, viewer).code == .badView)
    }

    @Test("a bad request closes its view, and no other")
    func badChange() throws {
        let (world, writer, room) = try world()
        let viewer = try viewer(world)
        open(viewer, room, view: 1)
        open(viewer, room, view: 2)
        #expect(world.run { shown(viewer).count == 10 })
        open(viewer, room, view: 1, overscan: .nan)
        #expect(try refusal(world, viewer).view == 1)
        writer.submit(2, in: room, [.delete(id("i1"))])
        let before = viewer.viewUpdates.count
        #expect(world.run { viewer.viewUpdates.count > before })
        world.run(forMilliseconds: 100)
        #expect(viewer.viewUpdates[before...].allSatisfy { $0.view == 2 })
    }

    @Test("errors name the limits")
    func limits() throws {
        let (world, _, room) = try world {
            $0.views = 2
            $0.viewElements = 50
        }
        let cases: [(String, (RawClient) -> Void)] = [
            ("at most 1000000 points", { open($0, room, overscan: 1e12) }),
            (
                "more than 50 elements",
                { open($0, room, bounds: ListRect(width: 150, height: 1e9)) }
            ),
            ("more than 50 elements", { open($0, room, overscan: 1e5) }),
            (
                "2 views",
                { viewer in for view: ViewNumber in 1...3 { open(viewer, room, view: view) } }
            ),
        ]
        for (index, (text, ask)) in cases.enumerated() {
            let viewer = try viewer(world, "v\(index)")
            ask(viewer)
            let error = try refusal(world, viewer)
            #expect(error.code == .limitExceeded && error.text.contains(text), "\(error)")
            #expect(!viewer.isClosed)
        }
    }

    @Test("a view of a room that was not joined is refused")
    func unknownRoom() throws {
        let (world, _, _) = try world()
        let viewer = try viewer(world)
        open(viewer, 4711)
        #expect(try refusal(world, viewer).code == .unknownRoom)
    }
}
