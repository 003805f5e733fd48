import ModelSupport
import SyncIO
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

@Suite("Lists of rooms")
struct RoomListTests {
    private static let limit = 400_000

    /// A server with rooms that have long names.
    private func world(_ seed: UInt64) throws -> World {
        let world = try World(seed: seed) { $0.reads.maximumBytes = Self.limit }
        let maker = try world.greet("maker")
        for number in 0..<60 {
            let name = "\(number) " + String(repeating: "x", count: 115)
            let room = try world.join(maker, name)
            maker.submit(1, in: room, [.insert("i")])
            #expect(world.run { maker.revision(room) == 1 })
        }
        maker.close()
        world.simulation.conditions.socketBufferBytes = 4096
        return world
    }

    private func lists(_ client: RawClient) -> Set<RequestID> {
        Set(client.roomLists.map(\.request))
    }

    @Test(
        "that nobody takes count, and others get theirs",
        arguments: 1...3 as ClosedRange<UInt64>)
    func unread(seed: UInt64) throws {
        let world = try world(seed)
        let server = try #require(world.server)
        let strangers = try (0..<3).map { try world.greet("m\($0)", from: "10.0.0.1") }
        for stranger in strangers { stranger.stream?.isReadingPaused = true }
        var most = 0
        for request in 1...50 as ClosedRange<RequestID> {
            for stranger in strangers { stranger.send(.listRooms(ListRooms(request: request))) }
            world.run(forMilliseconds: 60)
            most = max(most, server.unreadAnswerBytes)
        }
        #expect(most > 50_000 && most < Self.limit, "\(most) bytes")
        // The innocent client also gets lists that it shares with one over its share.
        let innocent = try world.greet("a", from: "10.0.0.2")
        for request in 51...60 as ClosedRange<RequestID> {
            strangers[0].send(.listRooms(ListRooms(request: request)))
            innocent.send(.listRooms(ListRooms(request: request)))
            #expect(world.run(limitMilliseconds: 5000) { lists(innocent).contains(request) })
        }
        #expect(innocent.errors.isEmpty)
        for stranger in strangers { stranger.stream?.isReadingPaused = false }
        #expect(
            world.run {
                strangers.allSatisfy { stranger in
                    (1...50).allSatisfy {
                        lists(stranger).contains($0) || stranger.errors[.request($0)] != nil
                    }
                }
            })
        #expect(strangers[0].errors.values.contains { $0.code == .unavailable })
        world.run(forMilliseconds: 1000)
        #expect(server.unreadAnswerBytes == 0)
    }

    @Test("whose requesters are all gone leave nothing")
    func gone() throws {
        let world = try world(1)
        for number in 0..<20 {
            let stranger = try world.greet("m\(number)", from: "10.0.0.1")
            stranger.send(.listRooms(ListRooms(request: 1)))
            world.run(forMilliseconds: UInt64(number % 3))
            stranger.close()
        }
        world.run(forMilliseconds: 1000)
        #expect(try #require(world.server).unreadAnswerBytes == 0)
        #expect(try #require(world.server).memory[.reads] == 0)
    }
}
