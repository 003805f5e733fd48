import SyncClient
import SyncLayout
import SyncModel
import SyncSim
import SyncWire
import Testing

/// Drags in a session, over lost connections, too.
@Suite final class DragTests {
    let simulation = Simulation(seed: 12)
    private let target = DropTarget(section: id("main"), after: id("i3"))
    private var answers: [String] = []

    deinit {
        simulation.end()
    }

    private static func id(_ text: String) -> Identifier {
        do {
            return try Identifier(text)
        } catch {
            preconditionFailure("'\(text)' is no identifier")
        }
    }

    // MARK: Script

    /// A client in a room with a view that has a screen.
    private func viewing(_ server: ScriptedServer) throws -> (SessionFixture, ViewNumber) {
        server.answer = RoomScript.letIn
        let client = try SessionFixture(simulation)
        client.open()
        client.join()
        simulation.runUntilIdle()
        let membership = try #require(client.membership)
        let opened = client.session?.openView(
            of: membership, layout: ViewLayout(.flow), bounds: ListRect(width: 320, height: 480),
            overscan: 0)
        let view = try #require(opened)
        simulation.runUntilIdle()
        server.current?.say(
            .viewUpdate(ViewUpdate(room: 1, view: view, number: 1, revision: 5, isFirst: true)))
        simulation.runUntilIdle()
        client.room.clear()
        return (client, view)
    }

    private func begin(_ client: SessionFixture, _ view: ViewNumber) throws {
        client.session?.beginDrag(
            of: DragTests.id("i0"), in: view, of: try #require(client.membership), isShared: true
        ) { [self] result in
            switch result {
            case .success: answers.append("began")
            case .failure(let error): answers.append(error.code)
            }
        }
        simulation.runUntilIdle()
    }

    private func move(_ client: SessionFixture, _ view: ViewNumber, at y: Double) throws {
        client.session?.drag(
            to: ListPoint(x: 0, y: y), in: view, of: try #require(client.membership))
    }

    /// Drops the item as soon as its target is known.
    private func drop(_ client: SessionFixture, _ view: ViewNumber) throws {
        let membership = try #require(client.membership)
        client.session?.settleDrag(in: view, of: membership) { [self] result in
            switch result {
            case .success(let drag):
                answers.append(drag.target?.after?.text ?? "stays")
                let counter = client.submit([.delete(DragTests.id("x"))])
                client.session?.endDrag(drag.number, of: membership, counter: counter)
            case .failure(let error): answers.append(error.code)
            }
        }
        simulation.runUntilIdle()
    }

    private func say(_ server: ScriptedServer, _ update: UInt64, _ target: DropTarget?) {
        server.current?.say(
            .dragTarget(DragTarget(room: 1, number: 1, update: update, target: target)))
        simulation.runUntilIdle()
    }

    private func steps(_ server: ScriptedServer) -> [Drag.Step] {
        server.heard.compactMap { if case .drag(let drag) = $0 { drag.step } else { nil } }
    }

    // MARK: Tests

    @Test func dropsWhereTheLastPointLeads() throws {
        let server = try ScriptedServer(simulation)
        let (client, view) = try viewing(server)
        try begin(client, view)
        let beginning = Drag.Step.begin(DragTests.id("i0"), view: view, isShared: true)
        #expect(steps(server) == [beginning] && answers.isEmpty)
        say(server, 0, nil)
        #expect(answers == ["began"])
        // Only the newest of the queued points is sent.
        for y in 1...50 { try move(client, view, at: Double(y)) }
        simulation.runUntilIdle()
        try drop(client, view)
        try move(client, view, at: 99)
        simulation.runUntilIdle()
        let first = Drag.Step.update(ListPoint(x: 0, y: 1), number: 1, seen: 1)
        let last = Drag.Step.update(ListPoint(x: 0, y: 50), number: 2, seen: 1)
        #expect(steps(server) == [beginning, first, last])
        say(server, 1, nil)
        #expect(answers == ["began"], "that is not the target of the last point")
        say(server, 2, target)
        #expect(answers == ["began", "i3"])
        #expect(steps(server).last == .end(counter: 1))
        let kinds = server.heard.suffix(2).map { if case .submit = $0 { "submit" } else { "drag" } }
        #expect(kinds == ["submit", "drag"], "the transaction comes first")
        #expect(client.room.events.prefix(2) == [.dragged(view, nil), .dragged(view, target)])
    }

    @Test func theEndWaitsForItsTransaction() throws {
        let server = try ScriptedServer(simulation)
        server.unansweredTransactions = 1
        let (client, view) = try viewing(server)
        try begin(client, view)
        say(server, 0, target)
        client.submit([.delete(DragTests.id("x"))])
        try drop(client, view)
        #expect(steps(server).count == 1 && server.submitted == [1])
        server.current?.say(RoomScript.ack(1, 6))
        simulation.runUntilIdle()
        #expect(server.submitted == [1, 2])
        #expect(steps(server).last == .end(counter: 2))
    }

    @Test func aShiftMovesWhatIsStillToBeSent() throws {
        let server = try ScriptedServer(simulation)
        let (client, view) = try viewing(server)
        try begin(client, view)
        say(server, 0, nil)
        // The second point waits behind the first one.
        try move(client, view, at: 10)
        try move(client, view, at: 20)
        var update = ViewUpdate(room: 1, view: view, number: 2, revision: 6)
        update.shift = ListPoint(x: 0, y: 300)
        server.current?.say(.viewUpdate(update))
        simulation.runUntilIdle()
        let last = steps(server).last
        let isMoved = last == .update(ListPoint(x: 0, y: 320), number: 2, seen: 2)
        let isEarly = last == .update(ListPoint(x: 0, y: 20), number: 2, seen: 1)
        #expect(isMoved || isEarly, "\(steps(server))")
    }

    @Test func oneAtATimeAndCancelled() throws {
        let server = try ScriptedServer(simulation)
        let (client, view) = try viewing(server)
        try begin(client, view)
        try begin(client, view)
        #expect(answers == ["badDrag"])
        client.session?.cancelDrag(in: view, of: try #require(client.membership))
        simulation.runUntilIdle()
        #expect(answers == ["badDrag", "badDrag"], "waiters for the first one are notified")
        #expect(steps(server).last == .cancel)
        try drop(client, view)
        #expect(answers.count == 3, "there is no drag")
        #expect(!client.room.events.contains { if case .dragEnded = $0 { true } else { false } })
    }

    @Test func theServerEndsIt() throws {
        let server = try ScriptedServer(simulation)
        let (client, view) = try viewing(server)
        try begin(client, view)
        say(server, 0, nil)
        func fail(_ number: DragNumber) {
            server.current?.say(
                .error(ErrorMessage(.badDrag, "gone", about: .drag(number, in: 1))))
            simulation.runUntilIdle()
        }
        fail(7)
        #expect(client.room.events.last == .dragged(view, nil), "the drag is none of its own")
        fail(1)
        #expect(client.room.events.last == .dragEnded(view, "badDrag"))
        #expect(client.membership?.screen(of: view) != nil, "the view stays")
        try begin(client, view)
        #expect(steps(server).count == 2)
    }

    @Test func aLostConnectionEndsIt() throws {
        let server = try ScriptedServer(simulation)
        let (client, view) = try viewing(server)
        try begin(client, view)
        say(server, 0, nil)
        server.current?.close()
        simulation.run { server.connections.count == 2 && !server.joins.dropFirst().isEmpty }
        simulation.runUntilIdle()
        #expect(client.room.events.contains(.dragEnded(view, "connectionLost")))
        #expect(steps(server).isEmpty, "the drag is not begun again")
        try begin(client, view)
        #expect(steps(server).count == 1)
    }

    @Test func aServerWithoutDragsIsNotAsked() throws {
        let server = try ScriptedServer(simulation)
        server.features.remove(.drags)
        let (client, view) = try viewing(server)
        try begin(client, view)
        #expect(answers == ["unsupported"])
        try drop(client, view)
        #expect(answers == ["unsupported", "badDrag"], "there is no drag")
        #expect(steps(server).isEmpty && client.room.events.isEmpty)
        #expect(client.membership?.screen(of: view) != nil, "the view stays")
        #expect(server.connections.count == 1)
    }

    @Test func whatWaitsForAConnectionIsRefusedByAServerWithoutDrags() throws {
        let server = try ScriptedServer(simulation)
        let (client, view) = try viewing(server)
        server.features.remove(.drags)
        server.current?.close()
        simulation.run { client.room.events.contains(.interrupted("connectionLost")) }
        client.session?.beginDrag(
            of: DragTests.id("i0"), in: view, of: try #require(client.membership), isShared: false
        ) { [self] result in
            if case .failure(let error) = result { answers.append(error.code) }
        }
        #expect(answers.isEmpty)
        simulation.run { server.connections.count == 2 && !answers.isEmpty }
        #expect(answers == ["unsupported"] && steps(server).isEmpty)
    }
}
