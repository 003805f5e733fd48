import ModelSupport
import SeededRandom
import SyncBytes
import SyncModel
import SyncServer
import SyncSim
import SyncWire
import Testing

@Suite("Connections")
struct HandshakeTests {
    @Test("a hello is answered with the limits")
    func hello() throws {
        let world = try World { $0.connections.heartbeatMilliseconds = 7000 }
        let client = try world.greet()
        #expect(client.welcome?.version == 1)
        #expect(client.welcome?.features == .all)
        #expect(client.welcome?.heartbeatMilliseconds == 7000)
        #expect(client.welcome?.limits == world.configuration.wire)
    }

    @Test("a welcome is plain, however long: what it agrees on holds from then on")
    func plainWelcome() throws {
        let world = try World { $0.agent = String(repeating: "collsync ", count: 100) }
        let client = try world.greet(features: .all)
        #expect(client.welcome?.features.contains(.deflate) == true)
        #expect(client.deflatedFrames == 0)
    }

    @Test("anything else first closes the connection")
    func noHello() throws {
        let world = try World()
        let client = try world.connect()
        client.send(.listRooms(ListRooms(request: 1)))
        #expect(world.run { client.isClosed })
        #expect(client.connectionError?.code == .badHandshake)
    }

    @Test("a hello of an unsupported version is refused")
    func version() throws {
        let world = try World()
        let client = try world.connect()
        client.send(.hello(Hello(minimumVersion: 7, maximumVersion: 9)))
        #expect(world.run { client.isClosed })
        #expect(client.connectionError?.code == .unsupportedVersion)
    }

    @Test("a second hello is an error")
    func twice() throws {
        let world = try World()
        let client = try world.greet()
        client.send(.hello(Hello()))
        #expect(world.run { client.isClosed })
        #expect(client.connectionError?.code == .badMessage)
    }

    @Test("a silent connection is closed in time")
    func silence() throws {
        let world = try World { $0.connections.handshakeTimeoutMilliseconds = 3000 }
        let client = try world.connect()
        #expect(!world.run(limitMilliseconds: 2500) { client.isClosed })
        #expect(world.run(limitMilliseconds: 5000) { client.isClosed })
        #expect(client.connectionError?.code == .handshakeTimeout)
    }

    @Test("a hello that comes byte by byte does not extend its time")
    func slowHello() throws {
        let world = try World { $0.connections.handshakeTimeoutMilliseconds = 3000 }
        let client = try world.connect()
        client.send(SharedBytes([0x7F]))
        for _ in 0..<20 where !client.isClosed {
            client.send(SharedBytes([0x01]))
            world.run(forMilliseconds: 500)
        }
        #expect(client.isClosed)
        #expect(client.connectionError?.code == .handshakeTimeout)
    }

    @Test("garbage closes its connection and nobody else's")
    func garbage() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        var random = SplitMix64(seed: 5)
        let kinds: [[UInt8]] = [
            Array("GOT / HTTP/1.1\r\nHost: example.org\r\n\r\n".utf8),
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x80, 0x00], [0x00], [0x02, 0x10, 0x01],
            [0x04, 0x0A, 0x02, 0x01, 0x02],
            [20] + (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) },
        ]
        for greets in [false, true] {
            for bytes in kinds {
                let mallory = greets ? try world.greet("m") : try world.connect("m")
                mallory.send(SharedBytes(bytes + [UInt8](repeating: 1, count: 200)))
                #expect(world.run { mallory.isClosed }, "\(bytes.prefix(8))")
                #expect(mallory.connectionError?.code.closes == true, "\(bytes.prefix(8))")
            }
        }
        anna.submit(1, in: room, [.insert("a")])
        #expect(world.run { anna.items(room) == ["a"] })
        #expect(!anna.isClosed)
    }

    @Test("a frame over the limit is refused by its length")
    func frameTooLarge() throws {
        let world = try World { $0.wire.frameBytes = 2000 }
        let client = try world.greet()
        client.send(SharedBytes([0xFF, 0x7F]))
        #expect(world.run { client.isClosed })
        #expect(client.connectionError?.code == .frameTooLarge)
    }

    @Test("a hello over its limit is refused by its length")
    func longHello() throws {
        let world = try World()
        for (bytes, code) in [(64 << 10, ErrorCode?.none), ((64 << 10) + 1, .frameTooLarge)] {
            let client = try world.connect()
            var length = ByteWriter()
            length.write(varint: UInt64(bytes))
            client.send(SharedBytes(length.makeArray() + [0x82]))
            world.run(forMilliseconds: 100)
            #expect(client.connectionError?.code == code, "\(bytes)")
        }
    }

    @Test("a message of a later version is answered, and the connection goes on")
    func unknownMessage() throws {
        let world = try World()
        let client = try world.greet()
        // Field 60 of a frame, with nothing in it.
        client.send(SharedBytes([0x03, 0xE2, 0x03, 0x00]))
        #expect(world.run { client.connectionError?.code == .unsupported })
        _ = try world.join(client)
    }

    @Test("connections are limited")
    func tooMany() throws {
        let world = try World { $0.maximumConnections = 2 }
        let first = try world.greet()
        _ = try world.greet()
        let third = try world.connect()
        #expect(world.run { third.isClosed })
        #expect(third.connectionError?.code == .tooManyConnections)
        first.close()
        world.run(forMilliseconds: 100)
        _ = try world.greet()
    }

    @Test("both sides send heartbeats, and a client without them is closed")
    func heartbeats() throws {
        let world = try World { $0.connections.heartbeatMilliseconds = 10_000 }
        let client = try world.greet()
        world.run(forMilliseconds: 100_000)
        #expect(!client.isClosed)
        #expect((8...12).contains(client.heartbeats), "\(client.heartbeats)")
        client.isAlive = false
        world.run(forMilliseconds: 29_000)
        #expect(!client.isClosed)
        #expect(world.run(limitMilliseconds: 10_000) { client.isClosed })
        #expect(client.connectionError?.code == .heartbeatTimeout)
    }

    @Test("unjoined rooms and impossible names are errors that name the request")
    func wrongRooms() throws {
        let world = try World { $0.wire.rooms = 2 }
        let client = try world.greet()
        client.submit(1, in: 77, [.insert("a")])
        #expect(world.run { client.errors[.transaction(1, in: 77)]?.code == .unknownRoom })
        client.send(.leave(Leave(request: 100, room: 77)))
        #expect(world.run { client.errors[.request(100)]?.code == .unknownRoom })
        let one = try world.join(client, "one")
        _ = try world.join(client, "two")
        let third = client.join("three")
        #expect(world.run { client.errors[.request(third)]?.code == .limitExceeded })
        client.send(.leave(Leave(request: 101, room: one)))
        #expect(world.run { client.done.contains(101) })
        _ = try world.join(client, "three")
        #expect(!client.isClosed)
    }

    @Test("joins of one write count before they are answered")
    func manyJoinsAtOnce() throws {
        let world = try World { $0.wire.rooms = 3 }
        let client = try world.greet()
        // The first write is in flight while the others are queued, so the joins are sent together.
        client.send(.listRooms(ListRooms(request: 100)))
        let joins = (0..<4).map { client.join("room \($0)") }
        #expect(world.run { client.errors[.request(joins[3])]?.code == .limitExceeded })
        #expect(world.run { joins[..<3].allSatisfy { client.joined[$0] != nil } })
        #expect(client.joined.count == 3 && !client.isClosed)
    }

    @Test("a room is listed with its revision and members, and its figures can be read")
    func listAndStats() throws {
        let world = try World()
        let (anna, room) = try world.join("anna", "one")
        _ = try world.join(anna, "two")
        anna.submit(1, in: room, [.insert("a"), .insert("b")])
        anna.submit(2, in: room, [.delete(id("a"))])
        #expect(world.run { anna.revision(room) == 2 })
        anna.send(.listRooms(ListRooms(request: 50)))
        #expect(world.run { !anna.roomLists.isEmpty })
        let rooms = anna.roomLists.flatMap(\.rooms)
        #expect(rooms.map(\.name.text) == ["one", "two"])
        #expect(rooms.map(\.revision) == [2, 0])
        #expect(rooms.map(\.members) == [1, 1])
        let name = try #require(RoomName("one"))
        anna.send(.readStats(RoomRequest(request: 51, room: name)))
        #expect(world.run { anna.stats[51] != nil })
        let stats = try #require(anna.stats[51])
        #expect(stats.revision == 2)
        let figures = stats.figures
        #expect(figures[.items] == 1 && figures[.sections] == 1)
        #expect(figures[.deadNodes] == 1 && figures[.members] == 1)
        #expect(try #require(figures[.storedBytes]) > 0)
        anna.send(.readStats(RoomRequest(request: 52, room: try #require(RoomName("none")))))
        #expect(world.run { anna.errors[.request(52)]?.code == .roomNotFound })
    }
}
