import ModelSupport
import SeededRandom
import SyncClient
import SyncLayout
import SyncModel
import SyncSim
import SyncWire
import Testing

/// Views of a room in a session, over lost connections, too.
@Suite final class ViewTests {
    let simulation = Simulation(seed: 11)
    private let bounds = ListRect(x: 0, y: 0, width: 320, height: 480)

    deinit {
        simulation.end()
    }

    // MARK: Script

    /// A client that has only views of a room.
    func joined(
        _ server: ScriptedServer, change: (inout SessionOptions) -> Void = { _ in }
    ) throws -> SessionFixture {
        server.answer = { connection, message in
            guard case .join(let join) = message else { return }
            connection.say(RoomScript.joined(join, revision: 5, resumed: false))
        }
        let client = try SessionFixture(simulation, change: change)
        client.open()
        var options = Membership.Options()
        options.isViewOnly = true
        client.join(options: options)
        simulation.runUntilIdle()
        #expect(client.room.events == [.joined(5, resumed: false)])
        client.room.clear()
        return client
    }

    func open(_ client: SessionFixture, _ layout: ViewLayout = ViewLayout(.flow)) -> ViewNumber? {
        guard let membership = client.membership else { return nil }
        let view = client.session?.openView(
            of: membership, layout: layout, bounds: bounds, overscan: 100)
        simulation.runUntilIdle()
        return view
    }

    func change(_ client: SessionFixture, _ view: ViewNumber, _ settings: ViewSettings) {
        guard let membership = client.membership else { return }
        client.session?.changeView(view, of: membership, settings)
    }

    private func scroll(_ client: SessionFixture, _ view: ViewNumber, to y: Double) {
        change(client, view, ViewSettings(origin: ListPoint(x: 0, y: y)))
        simulation.runUntilIdle()
    }

    func update(_ number: UInt64, revision: Revision = 5) -> ViewUpdate {
        ViewUpdate(room: 1, view: 1, number: number, revision: revision, isFirst: number == 1)
    }

    /// Sends an update, with the items of its cells.
    func say(_ server: ScriptedServer, _ update: ViewUpdate) {
        var update = update
        update.items = update.appeared.map { Item(id: $0.id) }
        server.current?.say(.viewUpdate(update))
        simulation.runUntilIdle()
    }

    private func cell(_ key: UInt32, _ item: Int, y: Double = 0) throws -> ViewUpdate.Appeared {
        ViewUpdate.Appeared(
            key: key,
            element: LayoutElement(
                .cell(ItemPath(section: 0, item: item)),
                frame: ListRect(x: 0, y: y, width: 50, height: 50)),
            of: try Identifier("i\(item)"))
    }

    /// The received requests without their serial numbers, which a test of its own checks.
    func requests(_ server: ScriptedServer) -> [ViewRequest] {
        countedRequests(server).map { request in
            var request = request
            request.serial = 0
            return request
        }
    }

    /// The server supports no views.
    @Test func noViews() throws {
        let server = try ScriptedServer(simulation)
        server.views = 0
        let client = try joined(server)
        let view = try #require(open(client))
        #expect(client.room.events == [.viewEnded(view, "unsupported")])
        #expect(requests(server).isEmpty && screen(client, view) == nil)
    }

    // MARK: Requests

    @Test func joinsForItsViewsOnly() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        #expect(server.joins.map(\.viewOnly) == [true])
        #expect(server.joins.map(\.from) == [nil])
        #expect(client.membership?.replica.revision == nil)
    }

    @Test func opensAndShows() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        #expect(
            requests(server) == [
                ViewRequest(
                    room: 1, view: view, layout: ViewLayout(.flow), bounds: bounds, overscan: 100)
            ])
        var first = update(1)
        first.contentSize = ListSize(width: 320, height: 900)
        first.appeared = [try cell(1, 0), try cell(2, 1, y: 50)]
        say(server, first)
        let change = try #require(changes(client).first)
        #expect(change.contentSize == first.contentSize)
        #expect(change.appeared.map(\.to.element) == first.appeared.map(\.element))
        let shown = try #require(screen(client, view))
        #expect(shown.revision == 5)
        #expect(shown.bounds == bounds)
        #expect(shown.elements == change.appeared.map(\.to))
    }

    @Test func saysWhatItHasSeenWhenItScrolls() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        scroll(client, view, to: 40)
        say(server, update(1))
        say(server, update(2, revision: 6))
        scroll(client, view, to: 80)
        change(client, view, ViewSettings(layout: ViewLayout(.line)))
        simulation.runUntilIdle()
        change(client, view, ViewSettings(size: ListSize(width: 200, height: 100), overscan: 7))
        simulation.runUntilIdle()
        var (small, high) = (bounds, bounds)
        high.y = 80
        (small.y, small.width, small.height) = (80, 200, 100)
        var first = bounds
        first.y = 40
        #expect(
            Array(requests(server).dropFirst()) == [
                ViewRequest(room: 1, view: view, bounds: first),
                ViewRequest(room: 1, view: view, bounds: high, seen: 2),
                ViewRequest(room: 1, view: view, layout: ViewLayout(.line), seen: 2),
                ViewRequest(room: 1, view: view, bounds: small, overscan: 7, seen: 2),
            ])
    }

    /// A queued request is replaced by a later one.
    @Test func onlyTheLatestWaits() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        for y in 1...100 { change(client, view, ViewSettings(origin: ListPoint(y: Double(y)))) }
        change(client, view, ViewSettings(layout: ViewLayout(.circle), overscan: 7))
        simulation.runUntilIdle()
        let sent = requests(server).dropFirst()
        #expect(sent.map(\.bounds?.y) == [1, 100, nil])
        #expect(sent.map(\.layout) == [nil, nil, ViewLayout(.circle)])
    }

    /// A snap is requested once, and is dropped when the client scrolls on.
    @Test func snapsOnce() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        change(client, view, ViewSettings(origin: ListPoint(x: 0, y: 10), snaps: true))
        simulation.runUntilIdle()
        change(client, view, ViewSettings(overscan: 5))
        simulation.runUntilIdle()
        change(client, view, ViewSettings(origin: ListPoint(x: 0, y: 20)))
        change(client, view, ViewSettings(origin: ListPoint(x: 0, y: 30), snaps: true))
        change(client, view, ViewSettings(origin: ListPoint(x: 0, y: 40)))
        simulation.runUntilIdle()
        let sent = requests(server).dropFirst()
        #expect(sent.map(\.snaps) == [true, false, false, false])
        #expect(sent.map(\.bounds?.y) == [10, nil, 20, 40])
    }

    /// The way to an item is requested once, and is dropped when the client scrolls on.
    @Test func goesToAnItemOnce() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        let far = ViewAnchor.item(
            ItemAnchor(item: Identifier("far"), distance: ListPoint(x: 0, y: 20)))
        change(client, view, ViewSettings(anchor: far))
        simulation.runUntilIdle()
        change(client, view, ViewSettings(overscan: 5))
        simulation.runUntilIdle()
        change(client, view, ViewSettings(origin: ListPoint(x: 0, y: 20)))
        change(client, view, ViewSettings(anchor: far))
        change(client, view, ViewSettings(origin: ListPoint(x: 0, y: 40)))
        simulation.runUntilIdle()
        let sent = requests(server).dropFirst()
        #expect(sent.map(\.anchor) == [far, nil, nil, nil])
        #expect(sent.map(\.bounds?.y) == [nil, nil, 20, 40])
    }

    /// An unanswered way to an item is requested again on the next connection.
    @Test func goesToAnItemOverALostConnection() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        var first = update(1)
        first.appeared = [try cell(1, 0)]
        say(server, first)
        let far = ViewAnchor.item(ItemAnchor(item: Identifier("far")))
        let near = ViewAnchor.item(ItemAnchor(item: Identifier("i0")))
        change(client, view, ViewSettings(anchor: far))
        simulation.runUntilIdle()
        #expect(requests(server).last?.anchor == far)
        for expected in [far, near] {
            simulation.network.connections.first?.cut()
            simulation.run { client.room.events.last == .joined(5, resumed: false) }
            simulation.runUntilIdle()
            #expect(requests(server).map(\.anchor) == [expected])
            client.room.clear()
            say(server, first)
        }
    }

    @Test func closes() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        say(server, update(1))
        client.room.clear()
        let membership = try #require(client.membership)
        client.session?.closeView(view, of: membership)
        simulation.runUntilIdle()
        #expect(client.room.events == [.viewEnded(view, "closed")])
        #expect(requests(server).last == ViewRequest(room: 1, view: view, isClosed: true))
        #expect(screen(client, view) == nil)
        say(server, update(2))
        #expect(client.room.events.count == 1, "a late update is ignored")
        #expect(open(client) == view + 1, "the server may still send its number")
    }

    // MARK: Updates

    /// A shift also moves bounds that the server does not know yet, or that cross an update: each
    /// side adds what it lacks.
    @Test func aShiftMovesTheBounds() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        say(server, update(1))
        scroll(client, view, to: 20)
        var moved = update(2, revision: 6)
        moved.shift = ListPoint(x: 0, y: 300)
        say(server, moved)
        #expect(screen(client, view)?.bounds.y == 320)
        #expect(changes(client).last?.shift == ListPoint(x: 0, y: 300))
        #expect(changes(client).last?.bounds.y == 320)
        #expect(requests(server).count == 2, "the server adds the shift itself")
        scroll(client, view, to: 330)
        #expect(requests(server).last?.seen == 2)
    }

    /// A shift is added to scrolling that is not sent yet.
    @Test func aShiftKeepsWhatWasScrolledMeanwhile() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        say(server, update(1))
        simulation.conditions.socketBufferBytes = 64
        var random = SplitMix64(seed: 1)
        let kinds = (0..<2_000).map { _ in Decoration(kind: id(String(random.next()))) }
        change(client, view, ViewSettings(layout: ViewLayout(.flow) { $0.decorations = kinds }))
        var moved = update(2, revision: 6)
        moved.shift = ListPoint(x: 0, y: 300)
        server.current?.say(.viewUpdate(moved))
        change(client, view, ViewSettings(origin: ListPoint(x: 0, y: 15)))
        simulation.run { !changes(client).dropFirst().isEmpty }
        #expect(requests(server).count == 1, "the long request is not sent completely")
        #expect(screen(client, view)?.bounds.y == 315)
        simulation.runUntilIdle()
        #expect(requests(server).last?.bounds?.y == 315)
        #expect(requests(server).last?.seen == 2)
    }

    @Test func anErrorOfAViewEndsNothingElse() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let first = try #require(open(client))
        let second = try #require(open(client))
        server.current?.say(
            .error(ErrorMessage(.badView, "no", about: .view(second, in: 1))))
        simulation.runUntilIdle()
        #expect(client.room.events == [.viewEnded(second, "badView")])
        client.room.clear()
        say(server, update(1))
        #expect(changes(client).count == 1)
        #expect(screen(client, first) != nil)
        #expect(screen(client, second) == nil)
        #expect(server.connections.count == 1)
    }

    @Test func theEndOfTheRoomEndsItsViews() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        server.current?.say(RoomScript.error(.roomDeleted, .room(1)))
        simulation.runUntilIdle()
        #expect(client.room.events == [.viewEnded(view, "roomDeleted"), .ended("roomDeleted")])
        #expect(open(client) == nil)
    }

    // MARK: Connections that are lost

    @Test func viewsAreOpenedAgain() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        var first = update(1)
        first.contentSize = ListSize(width: 320, height: 900)
        first.appeared = [try cell(1, 0), try cell(2, 1, y: 50), try cell(3, 2, y: 100)]
        say(server, first)
        let shown = try #require(screen(client, view))
        scroll(client, view, to: 10)
        change(client, view, ViewSettings(layout: ViewLayout(.mosaic)))
        simulation.runUntilIdle()
        client.room.clear()
        simulation.network.connections.first?.cut()
        simulation.run { client.room.events.count == 2 }
        simulation.runUntilIdle()
        #expect(
            client.room.events == [.interrupted("connectionLost"), .joined(5, resumed: false)])
        var latest = bounds
        latest.y = 10
        #expect(
            requests(server) == [
                ViewRequest(
                    room: 0, view: view, layout: ViewLayout(.mosaic), bounds: latest, overscan: 100,
                    anchor: .item(
                        ItemAnchor(item: Identifier("i0"), distance: ListPoint(y: -10))))
            ])
        #expect(screen(client, view)?.elements == shown.elements, "it stays until the next update")

        // One element stays, one has moved, one is gone and one is new; the keys differ.
        first.revision = 9
        first.appeared = [try cell(5, 3, y: 150), try cell(3, 0), try cell(1, 1, y: 60)]
        say(server, first)
        let change = try #require(changes(client).last)
        #expect(change.contentSize == nil)
        #expect(change.appeared.map(\.to.element.frame.y) == [150])
        #expect(change.changed.map(\.from) == [shown.elements[1]])
        #expect(change.changed.map(\.to.element.frame.y) == [60])
        #expect(change.disappeared.map(\.from) == [shown.elements[2]])
        #expect(screen(client, view)?.elements.map(\.key) == [1, 2, 4])
    }

    /// An update that does not fit ends the connection, and the next connection repairs the view.
    @Test func anUpdateThatDoesNotFitOpensAnew() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        say(server, update(1))
        client.room.clear()
        say(server, update(3))
        simulation.run { server.connections.count == 2 && !requests(server).isEmpty }
        #expect(
            client.room.events == [.interrupted("badViewUpdate"), .joined(5, resumed: false)])
        say(server, update(1, revision: 7))
        #expect(screen(client, view)?.revision == 7)
    }

    // MARK: Transactions

    /// A client with views only bases its transactions on the revision of its screens.
    @Test func transactionsAreMadeFromWhatIsShown() throws {
        let server = try ScriptedServer(simulation)
        let client = try joined(server)
        let view = try #require(open(client))
        client.submit()
        say(server, update(1, revision: 8))
        client.submit()
        simulation.runUntilIdle()
        let bases = server.heard.compactMap { message in
            if case .submit(let submit) = message { submit.transaction.base } else { nil }
        }
        #expect(bases == [5, 8])
        #expect(screen(client, view)?.revision == 8)
    }
}
