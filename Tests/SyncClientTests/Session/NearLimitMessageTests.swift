import SyncClient
import SyncModel
import SyncSim
import SyncWire
import Testing

/// A session passes on that a quota is nearly used up.
@Suite final class NearLimitMessageTests {
    let simulation = Simulation(seed: 12)

    deinit {
        simulation.end()
    }

    private func makeServer() throws -> ScriptedServer {
        let server = try ScriptedServer(simulation)
        server.answer = { connection, message in
            guard case .join(let join) = message else { return }
            connection.say(
                RoomScript.joined(join, revision: join.from ?? 5, resumed: join.from != nil))
        }
        return server
    }

    private static let items = QuotaUse(.items, used: 8, limit: 10)
    private static let rooms = QuotaUse(.rooms, used: 800, limit: 1000)

    @Test func reachesTheRoomThatItIsAbout() throws {
        let server = try makeServer()
        let client = try SessionFixture(simulation)
        client.open()
        client.join()
        simulation.runUntilIdle()
        client.room.clear()
        server.current?.say(.nearLimit(NearLimit(room: 1, Self.items)))
        // Another room, which the client has left, and quotas that no such message is about.
        server.current?.say(.nearLimit(NearLimit(room: 2, Self.items)))
        server.current?.say(.nearLimit(NearLimit(room: 0, Self.items)))
        server.current?.say(.nearLimit(NearLimit(room: 1, Self.rooms)))
        server.current?.say(
            .nearLimit(NearLimit(room: 1, QuotaUse(.unknown, used: 1, limit: 2))))
        simulation.run(forMilliseconds: 1000)
        #expect(client.room.events == [.nearLimit(Self.items)])
    }

    /// What the server says of the account before the client is in a room reaches each room that it
    /// enters; of many messages the newest of each quota counts.
    @Test func ofTheAccountReachesAllRooms() throws {
        let server = try makeServer()
        let client = try SessionFixture(simulation)
        client.open()
        for used in 1...1000 as ClosedRange<UInt64> {
            for quota in [Quota.connections, .rooms] {
                server.current?.say(
                    .nearLimit(NearLimit(room: 0, QuotaUse(quota, used: used, limit: 1000))))
            }
        }
        simulation.run(forMilliseconds: 1000)
        #expect(client.room.events.isEmpty)
        client.join()
        let newest = [Quota.connections, .rooms].map {
            RoomListener.Event.nearLimit(QuotaUse($0, used: 1000, limit: 1000))
        }
        simulation.run { client.room.events.count == 3 }
        #expect(client.room.events == [.joined(5, resumed: false)] + newest)
        client.room.clear()
        server.current?.say(.nearLimit(NearLimit(room: 0, Self.rooms)))
        simulation.run { !client.room.events.isEmpty }
        #expect(client.room.events == [.nearLimit(Self.rooms)])
        // Another connection may be another account's, or that of one that has more.
        client.room.clear()
        server.current?.close()
        simulation.run { client.room.events.count >= 2 }
        simulation.run(forMilliseconds: 1000)
        #expect(
            client.room.events == [.interrupted("connectionLost"), .joined(5, resumed: false)])
    }
}
