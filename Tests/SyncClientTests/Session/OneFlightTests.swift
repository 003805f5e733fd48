import SyncClient
import SyncLayout
import SyncModel
import SyncSim
import SyncWire
import Testing

/// A client sends its messages for a room together with its join.
@Suite final class OneFlightTests {
    let simulation = Simulation(seed: 4)

    deinit {
        simulation.end()
    }

    /// A client that has sent three transactions, and loses its connection before any is answered.
    private func cut(_ server: ScriptedServer) throws -> SessionFixture {
        server.answer = RoomScript.letIn
        let client = try SessionFixture(simulation)
        client.open()
        client.join()
        simulation.run { client.membership?.revision == 5 }
        for _ in 0..<2 { client.submit() }
        simulation.run { server.submitted.count == 2 }
        server.answer = { _, _ in }
        simulation.network.connections.first?.cut()
        simulation.run { client.room.events.last == .interrupted("connectionLost") }
        client.submit()
        simulation.run { server.connections.count == 2 && server.submitted.count == 3 }
        return client
    }

    private func submits(_ server: ScriptedServer) -> [Submit] {
        server.heard.compactMap { if case .submit(let submit) = $0 { submit } else { nil } }
    }

    @Test func sendsAllBehindTheJoin() throws {
        let server = try ScriptedServer(simulation)
        let client = try cut(server)
        let join = try #require(server.joins.last)
        #expect(join.counter == 2)
        #expect(server.submitted == [1, 2, 3])
        #expect(server.current?.named.suffix(3) == [join.request, join.request, join.request])
        // Each names the room it was made for, because the room may be another one by now.
        let origin = RoomScript.identity.origin(of: 5)
        #expect(submits(server).map(\.origin) == [origin, origin, origin])
        server.current?.say(RoomScript.joined(join, revision: 5, resumed: true))
        for counter in 1...3 as ClosedRange<UInt64> {
            server.current?.say(RoomScript.ack(counter, 5 + counter))
        }
        simulation.run { client.answers.count == 3 }
        client.submit()
        simulation.run { server.submitted.count == 4 }
        #expect(server.submitted == [1, 2, 3, 4])
        #expect(server.current?.named.last == .some(nil), "the client knows the handle now")
    }

    /// The room has been replaced by another one, and the server says so to each transaction.
    @Test func takesTheRoomsWordForWhatIsOnItsWay() throws {
        let server = try ScriptedServer(simulation)
        let client = try cut(server)
        let join = try #require(server.joins.last)
        server.current?.say(
            RoomScript.joined(
                join, revision: 0, resumed: false, identity: RoomScript.newIdentity, changed: true))
        simulation.runUntilIdle()
        #expect(client.answers.isEmpty)
        for counter in 1...3 as ClosedRange<UInt64> {
            server.current?.say(RoomScript.reject(counter, .roomChanged))
        }
        simulation.runUntilIdle()
        #expect(client.answers.count == 3)
        #expect(server.submitted == [1, 2, 3])
    }

    /// A transaction that was never sent before survives a change of the client's id: it was sent
    /// with the join.
    @Test func sendsAgainAsAnother() throws {
        let server = try ScriptedServer(simulation)
        let client = try cut(server)
        let join = try #require(server.joins.last)
        server.current?.say(RoomScript.error(.badSecret, .request(join.request)))
        simulation.run { server.joins.count == 3 && server.submitted.count == 4 }
        let codes = client.answers.map { answer -> Rejection.Code? in
            if case .rejected(let rejection) = answer { rejection.code } else { nil }
        }
        #expect(codes == [.forgotten, .forgotten])
        #expect(server.submitted == [1, 2, 3, 3])
        #expect(server.joins.last?.counter == 0)
        #expect(server.joins.last?.client != join.client)
    }

    /// From the join to the answer of a transaction and the first update of a view it is one round
    /// trip.
    @Test func takesOneRoundTrip() throws {
        let delay: UInt64 = 50_000
        simulation.conditions.networkDelayMicroseconds = delay...delay
        let server = try ScriptedServer(simulation)
        server.answer = { connection, message in
            RoomScript.letIn(connection, message)
            switch message {
            case .submit: connection.say(RoomScript.ack(1, 6))
            case .view(let request):
                connection.say(
                    .viewUpdate(
                        ViewUpdate(
                            room: 1, view: 1, number: 1, serial: request.serial, revision: 5,
                            isFirst: true)))
            default: break
            }
        }
        let client = try SessionFixture(simulation)
        client.open()
        let begin = simulation.nowMicroseconds
        client.join()
        client.submit()
        _ = client.session?.openView(
            of: try #require(client.membership), layout: ViewLayout(.flow),
            bounds: ListRect(width: 1, height: 1), overscan: 0)
        simulation.run { client.membership?.isAllAnswered == true }
        let roundTrips = (simulation.nowMicroseconds - begin) / (2 * delay)
        #expect(roundTrips == 1)
    }
}
