import SyncClient
import SyncModel
import SyncSim
import SyncWire
import Testing

/// Leaving a room, and joining it again, before the server has answered; and transactions without
/// answers.
@Suite struct LeavingTests {
    private let simulation = Simulation(seed: 8)

    /// A client that joined a room, left it before the server answered, and joined it again.
    private func cameBack(_ server: ScriptedServer) throws -> SessionFixture {
        let client = try SessionFixture(simulation)
        client.open()
        client.join()
        simulation.runUntilIdle()
        let first = try #require(client.membership)
        client.session?.leave(first)
        client.join()
        simulation.runUntilIdle()
        return client
    }

    @Test func leavesByItsJoinAndComesBack() throws {
        defer { simulation.end() }
        let server = try ScriptedServer(simulation)
        let client = try cameBack(server)
        #expect(server.joins.count == 2)
        let first = try #require(server.joins.first)
        guard case .leave? = server.heard.dropLast().last else {
            Issue.record("the client does not leave: \(server.heard)")
            return
        }
        #expect(server.current?.named.dropLast().last == first.request)
        server.current?.say(RoomScript.joined(first, revision: 4, resumed: false))
        server.current?.say(RoomScript.snapshot(4))
        simulation.runUntilIdle()
        let second = try #require(server.joins.last)
        server.current?.say(RoomScript.joined(second, revision: 5, resumed: false))
        server.current?.say(RoomScript.snapshot(5))
        simulation.runUntilIdle()
        #expect(
            client.room.events == [
                .ended("closed"), .joined(5, resumed: false), .snapshot(5),
            ])
    }

    @Test func comesBackAfterARefusalToo() throws {
        defer { simulation.end() }
        let server = try ScriptedServer(simulation)
        let client = try cameBack(server)
        let first = try #require(server.joins.first)
        server.current?.say(RoomScript.error(.unavailable, .request(first.request)))
        simulation.runUntilIdle()
        #expect(server.joins.count == 2)
        #expect(client.room.events == [.ended("closed")])
    }

    @Test func comesBackAfterALostConnectionToo() throws {
        defer { simulation.end() }
        let server = try ScriptedServer(simulation)
        let client = try cameBack(server)
        server.answer = RoomScript.letIn
        simulation.network.connections.first?.cut()
        simulation.run { client.membership?.revision == 5 }
        #expect(server.joins.count == 3)
    }

    /// A failed store may have stored a transaction nevertheless. Its batch comes before the
    /// transaction is resent, but its author gets the answer first.
    @Test func batchesWaitForWhatTheStoreCouldNotTake() throws {
        defer { simulation.end() }
        let server = try ScriptedServer(simulation)
        server.answer = RoomScript.letIn
        let client = try SessionFixture(simulation)
        client.open()
        client.join()
        simulation.runUntilIdle()
        client.room.clear()
        client.submit()
        simulation.runUntilIdle()
        server.current?.say(RoomScript.reject(1, .unavailable))
        server.current?.say(RoomScript.batch(5, 6))
        simulation.runUntilIdle()
        #expect(client.room.events == [])
        simulation.run { server.submitted == [1, 1] }
        server.current?.say(RoomScript.ack(1, 6))
        simulation.runUntilIdle()
        #expect(
            client.room.events == [.answer(1, .committed(Commit(revision: 6))), .batch(5, 6)])
    }
}
