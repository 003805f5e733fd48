import ModelSupport
import RoomSupport
import SyncBytes
import SyncIO
import SyncLayout
import SyncModel
import SyncServer
import SyncSim
import SyncWire
import Testing

/// Clients that request more than anybody needs. Their effects are bounded and get named errors,
/// and others are served meanwhile.
@Suite("Hostile requests")
struct HostileViewTests {
    /// The room is on another loop than the connections, so floods must cross loops.
    private static let roomName = "gallery"
    private static let flow = ViewLayout(.flow)
    private static let floodCount = 100_000

    private let world: World
    private let writer: RawClient
    private let room: RoomHandle

    /// A room of some items, and its writer.
    init() throws {
        let world = try World { $0.threads = 3 }
        self.world = world
        (writer, room) = try world.join("writer", HostileViewTests.roomName)
        writer.submit(1, in: room, (0..<100).map { .insert("i\($0)") })
        let (writer, room) = (writer, room)
        #expect(world.run { writer.revision(room) == 1 })
    }

    private func viewer(_ name: String) throws -> RawClient {
        let viewer = try world.greet(name)
        let request = viewer.join(HostileViewTests.roomName, viewOnly: true)
        #expect(world.run { viewer.joined[request] != nil })
        return viewer
    }

    private func request(
        view: ViewNumber = 1, layout: ViewLayout? = nil, _ bounds: ListRect, overscan: Double? = nil
    ) -> ClientMessage {
        .view(
            ViewRequest(
                room: room, view: view, layout: layout, bounds: bounds, overscan: overscan))
    }

    /// Sends very many messages at once, without reading the answers.
    private func flood(_ client: RawClient, _ message: (Int) -> ClientMessage) {
        client.stream?.isReadingPaused = true
        let encoder = MessageEncoder()
        var bytes: [UInt8] = []
        for number in 1...HostileViewTests.floodCount {
            encoder.encode(message(number)).plain.withBytes { bytes += $0 }
        }
        client.send(SharedBytes(bytes))
    }

    /// Checks that others are served, and that no backlog has grown.
    private func expectService(_ counter: UInt64 = 2) {
        writer.submit(counter, in: room, [.insert("late\(counter)")])
        #expect(world.run(limitMilliseconds: 10_000) { writer.revision(room) == counter })
        #expect(world.simulation.network.largestServerBacklogBytes < 1 << 20)
        // A connection has at most 64 requests in flight to a room, and as many answers.
        #expect(world.simulation.largestMailCount < 200, "\(world.simulation.largestMailCount)")
    }

    @Test("a connection that opens a thousand views has sixteen")
    func manyViews() throws {
        let viewer = try viewer("v")
        let bounds = ListRect(width: 150, height: 300)
        for view: ViewNumber in 1...1000 {
            viewer.send(request(view: view, layout: HostileViewTests.flow, bounds))
        }
        #expect(world.run { viewer.viewErrors.count == 984 })
        #expect(
            viewer.viewErrors.allSatisfy {
                $0.code == .limitExceeded && $0.text.contains("16 views")
            })
        #expect(world.run { Set(viewer.viewUpdates.map(\.view)) == Set(1...16) })
        expectService()
    }

    @Test("a room has sixty-four layouts, of which everybody has a share")
    func manyLayouts() throws {
        let viewers = try (0..<5).map { try viewer("v\($0)") }
        var counts: [Int] = []
        for (number, viewer) in viewers.enumerated() {
            for view in 1...16 {
                viewer.send(
                    request(
                        view: ViewNumber(view), layout: HostileViewTests.flow,
                        ListRect(width: Double(100 * number + view), height: 300)))
            }
            #expect(
                world.run {
                    Set(viewer.viewUpdates.map(\.view)).count + viewer.viewErrors.count == 16
                })
            counts.append(Set(viewer.viewUpdates.map(\.view)).count)
        }
        // Something is left for the next viewer.
        #expect(counts[0] == 16 && counts.reduce(0, +) <= 64 && counts.allSatisfy { $0 >= 4 })
        #expect(!viewers[4].viewErrors.isEmpty)
        #expect(
            viewers[4].viewErrors.allSatisfy {
                $0.code == .limitExceeded && $0.text.contains("64 layouts")
            })
        // Once a viewer leaves, another one may use its layouts.
        viewers[0].close()
        world.run(forMilliseconds: 1000)
        viewers[4].send(
            request(view: 20, layout: HostileViewTests.flow, ListRect(width: 777, height: 300)))
        #expect(world.run { viewers[4].viewUpdates.contains { $0.view == 20 } })
        expectService()
    }

    @Test(
        "impossible bounds are refused, or show nothing",
        arguments: [
            ListRect(x: 1e308, y: 1e308, width: 1e308, height: 1e308),
            ListRect(x: -1e308, y: -1e308, width: 10, height: 10),
            ListRect(x: -1e308, y: -1e308, width: 1.7e308, height: 1.7e308),
            ListRect(width: 0, height: 0), ListRect(x: 1e-300, width: 1e-300, height: 1e308),
            ListRect(x: .infinity, y: -.infinity, width: 1, height: 1),
            ListRect(x: -1e12, y: -1e12, width: 2e12, height: 2e12),
        ],
        LayoutSpec.Kind.allCases)
    func numbers(bounds: ListRect, kind: LayoutSpec.Kind) throws {
        let viewer = try viewer("v")
        let layout = ViewLayout(kind)
        viewer.send(request(view: 1, layout: layout, bounds))
        viewer.send(request(view: 2, layout: layout, bounds, overscan: 1e6))
        viewer.send(request(view: 3, layout: layout, bounds, overscan: 1e12))
        func isAnswered(_ view: ViewNumber) -> Bool {
            viewer.viewErrors.contains { $0.view == view }
                || viewer.viewUpdates.contains { $0.view == view }
        }
        #expect(world.run { isAnswered(1) && isAnswered(2) && isAnswered(3) })
        #expect(
            viewer.viewErrors.allSatisfy { $0.code == .limitExceeded || $0.code == .badView },
            "\(viewer.viewErrors)")
        #expect(!viewer.isClosed)
        expectService()
    }

    @Test("a viewer that scrolls on and reads nothing gets what was in flight, and the last screen")
    func scrolls() throws {
        let viewer = try viewer("v")
        viewer.send(
            request(layout: HostileViewTests.flow, ListRect(width: 150, height: 300)))
        #expect(world.run { !viewer.viewUpdates.isEmpty })
        world.run(forMilliseconds: 100)
        let before = viewer.viewUpdates.count
        flood(viewer) { request(ListRect(y: Double($0 % 3000), width: 150, height: 300)) }
        expectService()
        world.run(forMilliseconds: 5_000)
        expectService(3)
        viewer.stream?.isReadingPaused = false
        #expect(world.run { viewer.viewUpdates.last?.revision == 3 })
        #expect(viewer.viewUpdates.count - before < 5_000, "\(viewer.viewUpdates.count)")
    }

    @Test("a viewer that changes its layout with each request gets the last one")
    func layouts() throws {
        let viewer = try viewer("v")
        flood(viewer) {
            request(
                layout: HostileViewTests.flow, ListRect(width: 100 + Double($0 % 200), height: 300))
        }
        expectService()
        viewer.stream?.isReadingPaused = false
        #expect(world.run { viewer.viewUpdates.last?.revision == 2 })
        #expect(viewer.viewErrors.isEmpty)
    }

    @Test("a viewer that drags on and reads nothing gets the last target")
    func drags() throws {
        let viewer = try viewer("v")
        viewer.send(request(layout: HostileViewTests.flow, ListRect(width: 150, height: 300)))
        #expect(world.run { !viewer.viewUpdates.isEmpty })
        viewer.send(.drag(Drag(room: room, number: 1, .begin(id("i0"), view: 1, isShared: true))))
        #expect(world.run { !viewer.dragTargets.isEmpty })
        flood(viewer) { number in
            let point = ListPoint(x: 25, y: Double(number % 300))
            return .drag(
                Drag(room: room, number: 1, .update(point, number: UInt64(number), seen: 1)))
        }
        expectService()
        viewer.stream?.isReadingPaused = false
        let last = UInt64(HostileViewTests.floodCount)
        #expect(world.run { viewer.dragTargets.last?.update == last })
        #expect(viewer.dragTargets.count < 5_000, "\(viewer.dragTargets.count)")
        expectService(3)
    }

    @Test("of endless drags that begin and end, others see the last one")
    func beginsAndCancels() throws {
        let (other, _) = try world.join("other", HostileViewTests.roomName, presence: true)
        let viewer = try viewer("v")
        viewer.send(request(layout: HostileViewTests.flow, ListRect(width: 150, height: 300)))
        #expect(world.run { !viewer.viewUpdates.isEmpty })
        flood(viewer) { number in
            let drag = DragNumber((number + 1) / 2)
            let item = id("i\(number % 100)")
            return .drag(
                Drag(
                    room: room, number: drag,
                    number % 2 == 0 ? .cancel : .begin(item, view: 1, isShared: true)))
        }
        expectService()
        viewer.stream?.isReadingPaused = false
        let last = DragNumber(HostileViewTests.floodCount)
        let begin = Drag.Step.begin(id("i7"), view: 1, isShared: true)
        viewer.send(.drag(Drag(room: room, number: last, begin)))
        #expect(world.run { viewer.dragTargets.last?.number == last })
        #expect(viewer.dragTargets.count < 5_000, "\(viewer.dragTargets.count)")
        #expect(world.run { other.presenceUpdates.last?.dragged?.item == id("i7") })
        #expect(other.presenceUpdates.count < 5_000, "\(other.presenceUpdates.count)")
        viewer.send(.drag(Drag(room: room, number: last, .cancel)))
        #expect(world.run { other.presenceUpdates.last?.dragged == nil })
        expectService(3)
    }

    @Test("a viewer that goes from item to item without end gets what was in flight")
    func anchors() throws {
        let viewer = try viewer("v")
        viewer.send(request(layout: HostileViewTests.flow, ListRect(width: 150, height: 300)))
        #expect(world.run { !viewer.viewUpdates.isEmpty })
        flood(viewer) { number in
            let far = number % 3 == 0 ? 1e300 : Double(number % 300)
            let anchor = ItemAnchor(item: id("i\(number % 150)"), distance: ListPoint(y: far))
            return .view(ViewRequest(room: room, view: 1, anchor: .item(anchor)))
        }
        expectService()
        viewer.stream?.isReadingPaused = false
        #expect(world.run { viewer.viewUpdates.last?.revision == 2 })
        #expect(viewer.viewUpdates.count < 5_000, "\(viewer.viewUpdates.count)")
        expectService(3)
    }

    @Test(
        "second drags, missing items and impossible points are refused or change nothing",
        arguments: [
            ListPoint(x: .nan, y: 0), ListPoint(x: 0, y: .infinity),
            ListPoint(x: -.infinity, y: .nan),
            ListPoint(x: 1e300, y: -1e300), ListPoint(x: -1.7e308, y: 1.7e308),
            ListPoint(x: 1e-300, y: -0.0),
        ])
    func strangeDrags(point: ListPoint) throws {
        let viewer = try viewer("v")
        viewer.send(request(layout: HostileViewTests.flow, ListRect(width: 150, height: 300)))
        #expect(world.run { !viewer.viewUpdates.isEmpty })
        func say(_ number: DragNumber, _ step: Drag.Step) {
            viewer.send(.drag(Drag(room: room, number: number, step)))
        }
        func isRefused(_ number: DragNumber) -> Bool {
            world.run { viewer.errors[.drag(number, in: room)] != nil }
        }
        say(1, .begin(id("i0"), view: 1, isShared: true))
        #expect(world.run { viewer.dragTargets.last?.number == 1 })
        say(2, .begin(id("i1"), view: 1, isShared: true))
        #expect(isRefused(2))
        say(
            1,
            .update(point, number: WireProtocol.greatestNumber, seen: WireProtocol.greatestNumber))
        if point.x.isFinite, point.y.isFinite {
            #expect(world.run { viewer.dragTargets.last?.update == WireProtocol.greatestNumber })
        } else {
            #expect(isRefused(1))
        }
        say(1, .end(counter: WireProtocol.greatestNumber))
        say(3, .begin(id("nothing"), view: 1, isShared: true))
        #expect(isRefused(3))
        viewer.send(.view(ViewRequest(room: room, view: 1, isClosed: true)))
        say(4, .begin(id("i0"), view: 1, isShared: true))
        #expect(isRefused(4) && viewer.errors[.drag(4, in: room)]?.code == .badDrag)
        say(4, .update(point, number: 1, seen: 0))
        say(0, .cancel)
        expectService()
        #expect(!viewer.isClosed)
    }

    @Test("unread errors wait at the connection that causes them")
    func errors() throws {
        let viewer = try viewer("v")
        let layout = ViewLayout(.flow) { $0.decorations = [Decoration(kind: noName)] }
        flood(viewer) { _ in request(layout: layout, ListRect(width: 1, height: 1)) }
        expectService()
        viewer.stream?.isReadingPaused = false
        #expect(world.run { viewer.viewErrors.count == HostileViewTests.floodCount })
    }

    @Test("of a flood of presence others get the newest")
    func presence() throws {
        let (speaker, _) = try world.join("speaker", HostileViewTests.roomName, presence: true)
        let (listener, _) = try world.join("listener", HostileViewTests.roomName, presence: true)
        let (idler, _) = try world.join("idler", HostileViewTests.roomName, presence: true)
        #expect(world.run { listener.others.count == 2 && idler.others.count == 2 })
        idler.stream?.isReadingPaused = true
        flood(speaker) {
            .presence(
                Presence(room: room, state: PresenceState(selected: [id("i\($0 % 100)")])))
        }
        expectService()
        let last = PresenceState(selected: [id("i\(HostileViewTests.floodCount % 100)")])
        #expect(
            world.run {
                listener.presenceUpdates.count > 2 && listener.others["speaker"] == last
            })
        idler.stream?.isReadingPaused = false
        #expect(world.run { idler.others["speaker"] == last })
        #expect(idler.presenceUpdates.count < 5_000, "\(idler.presenceUpdates.count)")
        expectService(3)
    }
}
