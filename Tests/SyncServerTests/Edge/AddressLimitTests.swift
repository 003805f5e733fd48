import ModelSupport
import SyncBytes
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

/// What one address may have and do while others go on.
@Suite struct AddressLimitTests {
    private static let mallory = "10.0.0.1"
    private static let anna = "10.0.0.2"

    @Test func connectionsOfAnAddressAreLimited() throws {
        let world = try World { $0.addresses.connections = 3 }
        let clients = try (0..<3).map { _ in try world.greet(from: Self.mallory) }
        let refused = try world.connect(from: Self.mallory)
        #expect(world.run(limitMilliseconds: 1000) { refused.isClosed })
        #expect(refused.connectionError?.code == .tooManyConnections)
        _ = try world.greet(from: Self.anna)
        for _ in 0..<5 { _ = try world.greet(from: "127.0.0.1") }
        clients[0].close()
        world.run(forMilliseconds: 100)
        _ = try world.greet(from: Self.mallory)
    }

    /// In IPv6 all addresses of a 64-bit network count as one.
    @Test func networksOfVersion6AreOneAddress() throws {
        let world = try World { $0.addresses.connections = 2 }
        for number in 1...2 { _ = try world.greet(from: "2001:db8:0:1::\(number)") }
        let refused = try world.connect(from: "2001:db8:0:1:ffff::3")
        #expect(world.run(limitMilliseconds: 1000) { refused.isClosed })
        _ = try world.greet(from: "2001:db8:0:2::1")
    }

    @Test func newRoomsAreMadeAtARate() throws {
        let world = try World { $0.addresses.newRooms = Rate(perMinute: 6, burst: 3) }
        let stranger = try world.greet("m", from: Self.mallory)
        for number in 0..<3 { _ = try world.join(stranger, "room\(number)") }
        #expect(try code(of: stranger, joining: "another", in: world) == .addressLimit)
        #expect(!stranger.isClosed)
        // Neither existing rooms nor other addresses' rooms cost this address anything.
        let innocent = try world.greet("a", from: Self.anna)
        let room = try world.join(innocent, "kept")
        innocent.submit(1, in: room, base: 0, [.insert("a")])
        #expect(world.run { innocent.answer(1, in: room) != nil })
        _ = try world.join(stranger, "kept")
        _ = try world.join(try world.greet("t"), "trusted")
        world.run(forMilliseconds: 10_000)
        _ = try world.join(stranger, "another")
        #expect(try code(of: stranger, joining: "yet another", in: world) == .addressLimit)
    }

    @Test func roomsOfAnAddressAreLimited() throws {
        let world = try World { $0.addresses.rooms = 3 }
        let first = try world.greet("m", from: Self.mallory)
        let second = try world.greet("n", from: Self.mallory)
        let room = try world.join(first, "room0")
        _ = try world.join(first, "room1")
        _ = try world.join(second, "room1")
        #expect(try code(of: second, joining: "room2", in: world) == .addressLimit)
        first.send(.leave(Leave(request: first.makeRequest(), room: room)))
        world.run(forMilliseconds: 100)
        _ = try world.join(second, "room2")
        #expect(try code(of: second, joining: "room3", in: world) == .addressLimit)
        first.close()
        world.run(forMilliseconds: 100)
        _ = try world.join(second, "room3")
    }

    /// An address that exceeds its rate is read later. All that it sends is answered, and others do
    /// not wait.
    @Test func transactionsAreReadAtARate() throws {
        let world = try World { $0.addresses.messages = Rate(perSecond: 100) }
        let strangers = try (0..<10).map { try world.greet("m\($0)", from: Self.mallory) }
        let rooms = try strangers.map { try world.join($0, "room") }
        let innocent = try world.greet("a", from: Self.anna)
        let other = try world.join(innocent, "other")
        for (number, stranger) in strangers.enumerated() {
            for counter in 1...400 as ClosedRange<UInt64> {
                stranger.submit(
                    counter, in: rooms[number], base: 0, [.insert("i\(number)-\(counter)")])
            }
        }
        for counter in 1...5 as ClosedRange<UInt64> {
            world.run(forMilliseconds: 1000)
            innocent.submit(counter, in: other, base: 0, [.insert("i\(counter)")])
            #expect(
                world.run(limitMilliseconds: 100) { innocent.answer(counter, in: other) != nil })
        }
        // One second's worth at once, five seconds' worth later, and the messages of one read from
        // one connection.
        let answered = zip(strangers, rooms).reduce(0) { count, pair in
            count + (pair.0.replicas[pair.1]?.answers.count ?? 0)
        }
        #expect(answered >= 400 && answered <= 600 + 400, "\(answered)")
        #expect(
            world.run(limitMilliseconds: 60_000) {
                zip(strangers, rooms).allSatisfy { $0.answer(400, in: $1) != nil }
            })
        #expect(strangers.allSatisfy { !$0.isClosed })
    }

    /// Messages of the client wait to be read, so its silence does not count.
    @Test func aClientWithUnreadMessagesIsNotSilent() throws {
        // The next message is read later than the heartbeat timeout.
        let world = try World { $0.addresses.messages = Rate(perMinute: 1, burst: 1) }
        let client = try world.greet("m", from: Self.mallory)
        client.isAlive = false
        for _ in 0..<5 { client.send(.listRooms(ListRooms(request: client.makeRequest()))) }
        #expect(world.run(limitMilliseconds: 600_000) { client.roomLists.count == 5 })
        // Once all messages are read, silence counts.
        #expect(!client.isClosed)
        #expect(world.run(limitMilliseconds: 600_000) { client.isClosed })
        #expect(client.connectionError?.code == .heartbeatTimeout)
    }

    @Test func bytesAreReadAtARate() throws {
        let world = try World { $0.addresses.bytes = Rate(perSecond: 100_000) }
        let stranger = try world.greet("m", from: Self.mallory)
        var writer = ByteWriter()
        let zeros = [UInt8](repeating: 0, count: 1_000_000)
        zeros.withUnsafeBytes { writer.write(field: 90, bytes: $0) }
        let body = writer.makeArray()
        var frame = ByteWriter()
        frame.write(varint: UInt64(body.count))
        stranger.send(SharedBytes(frame.makeArray() + body))
        #expect(!world.run(limitMilliseconds: 7000) { stranger.connectionError != nil })
        #expect(world.run(limitMilliseconds: 5000) { stranger.connectionError != nil })
        #expect(stranger.connectionError?.code == .unsupported)
        #expect(!stranger.isClosed)
    }

    /// Rooms without any commit are closed as soon as they have no member.
    @Test func roomsNeverWrittenAreClosedAtOnce() throws {
        let world = try World { $0.maximumRooms = 4 }
        let client = try world.greet()
        for number in 0..<10 {
            let room = try world.join(client, "room\(number)")
            client.send(.leave(Leave(request: client.makeRequest(), room: room)))
            world.run(forMilliseconds: 100)
        }
        let written = try world.join(client, "written")
        client.submit(1, in: written, base: 0, [.insert("a")])
        #expect(world.run { client.answer(1, in: written) != nil })
        client.send(.leave(Leave(request: client.makeRequest(), room: written)))
        _ = try world.join(client, "second")
        // The written room is unused, so another room takes its place. A single client may have
        // half of all places.
        _ = try world.join(client, "third")
        #expect(try code(of: client, joining: "fourth", in: world) == .tooManyRooms)
    }

    private func code(
        of client: RawClient, joining room: String, in world: World
    ) throws -> ErrorCode? {
        let request = client.join(room)
        #expect(
            world.run { client.errors[.request(request)] != nil || client.joined[request] != nil })
        return client.errors[.request(request)]?.code
    }
}
