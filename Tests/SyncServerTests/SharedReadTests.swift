import EngineTwin
import ModelSupport
import SeededRandom
import SyncIO
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

@Suite("Requests that share an answer")
struct SharedReadTests {
    /// Random text, which deflating hardly shortens.
    private func text(_ seed: UInt64, _ count: Int) -> Value {
        var random = SplitMix64(seed: seed)
        let letters = (0..<count).map { _ in
            UInt8.random(in: UInt8(ascii: "0")...UInt8(ascii: "z"), using: &random)
        }
        return .text(String(decoding: letters, as: UTF8.self))
    }

    /// Anna in a room with revisions of 40 kB each.
    private func fill(_ world: World, revisions: Int) throws -> (RawClient, RoomHandle) {
        let (anna, room) = try world.join("anna")
        for counter in 1...revisions {
            let name = "i\(counter)"
            let set = [Field(name: id("text"), value: text(UInt64(counter), 40_000))]
            anna.submit(
                UInt64(counter), in: room,
                [.insert(name), .update(id(name), ItemPatch(set: set))])
            #expect(world.run { anna.revision(room) == Revision(counter) })
        }
        return (anna, room)
    }

    @Test(
        "64 reads of one revision share one plain and one deflated copy", arguments: [20_000, 10])
    func oneCopy(itemsPerTurn: Int) throws {
        let world = try World { $0.reads.itemsPerTurn = itemsPerTurn }
        defer { world.simulation.end() }
        let (anna, room) = try fill(world, revisions: 15)
        let name = try #require(RoomName("room"))
        let carl = try world.greet("carl")
        carl.stream?.isReadingPaused = true
        for request in 1...64 as ClosedRange<RequestID> {
            carl.send(.readSnapshot(ReadSnapshot(request: request, room: name)))
        }
        world.run(forMilliseconds: 3000)
        let held = try #require(world.server).unreadAnswerBytes
        #expect((15 * 60_000...15 * 82_000).contains(held))
        carl.stream?.isReadingPaused = false
        #expect(world.run { carl.done.count == 64 })
        for request in 1...64 as ClosedRange<RequestID> {
            #expect(carl.snapshots[request] == anna.replicas[room]?.snapshot)
        }
        world.run(forMilliseconds: 1000)
        #expect(try #require(world.server).unreadAnswerBytes == 0)
    }

    @Test("answers that are not taken are bounded, for a connection and for all")
    func bounded() throws {
        let world = try World {
            $0.reads.maximumBytes = 1_500_000
            $0.reads.maximumBytesPerConnection = 900_000
        }
        defer { world.simulation.end() }
        _ = try fill(world, revisions: 20)
        let name = try #require(RoomName("room"))
        let clients = try (0..<3).map { try world.greet("c\($0)") }
        for client in clients { client.stream?.isReadingPaused = true }
        for client in clients {
            for revision in 1...20 as ClosedRange<Revision> {
                client.send(
                    .readSnapshot(
                        ReadSnapshot(
                            request: RequestID(revision), room: name, revision: revision)))
            }
            world.run(forMilliseconds: 1000)
        }
        #expect(try #require(world.server).unreadAnswerBytes <= 1_500_000)
        for client in clients { client.stream?.isReadingPaused = false }
        #expect(world.run { clients.allSatisfy { $0.done.count + $0.errors.count == 20 } })
        let codes = Set(clients.flatMap { $0.errors.values.map(\.code) })
        #expect(codes.isSubset(of: [.limitExceeded, .unavailable]) && !codes.isEmpty)
        #expect(clients.allSatisfy { !$0.done.isEmpty })
        world.run(forMilliseconds: 1000)
        #expect(try #require(world.server).unreadAnswerBytes == 0)
        clients[0].send(.readSnapshot(ReadSnapshot(request: 99, room: name)))
        #expect(world.run { clients[0].done.contains(99) })
    }

    @Test("a client that takes nothing delays no other reads, and gets all of it later")
    func slowReaders() throws {
        let world = try World {
            $0.room.horizon = 5
            $0.room.maximumHorizon = 10
            $0.reads.maximumReplays = 2
        }
        defer { world.simulation.end() }
        let (anna, room) = try fill(world, revisions: 60)
        let name = try #require(RoomName("room"))
        func read(_ client: RawClient, _ request: RequestID) {
            client.send(
                .readHistory(
                    ReadHistory(
                        request: request, room: name, from: 0, until: 60, everyRevision: true)))
        }
        let carl = try world.greet("carl")
        carl.stream?.isReadingPaused = true
        for request in 1...6 as ClosedRange<RequestID> { read(carl, request) }
        world.run(forMilliseconds: 5000)
        let dora = try world.greet("dora")
        read(dora, 1)
        #expect(world.run(limitMilliseconds: 20_000) { dora.done.contains(1) })
        carl.stream?.isReadingPaused = false
        #expect(world.run { carl.done.count == 6 })
        for batches in [dora.batches[1]] + (1...6).map({ carl.batches[$0] }) {
            var state = Snapshot(revision: 0, sections: [])
            for (index, batch) in try #require(batches).enumerated() {
                if index == 0 { state = try world.emptyRoom() }
                state = try LegalityChecker.apply(batch, to: state)
            }
            #expect(state == anna.replicas[room]?.snapshot)
        }
    }

    @Test("one who reads on keeps its place, however long that takes")
    func busyReader() throws {
        let world = try World {
            $0.room.horizon = 5
            $0.room.maximumHorizon = 10
            $0.reads.maximumReplays = 1
        }
        defer { world.simulation.end() }
        _ = try fill(world, revisions: 40)
        let name = try #require(RoomName("room"))
        let clients = try ["carl", "dora"].map { try world.greet($0) }
        // Each step takes longer than a place is kept for one who rests.
        world.simulation.conditions.jobMicroseconds = 400_000...400_000
        for client in clients {
            client.send(
                .readHistory(
                    ReadHistory(request: 1, room: name, from: 0, until: 40, everyRevision: true)))
        }
        #expect(
            world.run(limitMilliseconds: 120_000) { clients.allSatisfy { $0.done.contains(1) } })
        for client in clients { #expect(client.batches[1]?.count == 40) }
    }

    @Test("an answer counts for one who still reads it, not for who asked first and left")
    func payer() throws {
        let world = try World { $0.reads.maximumBytes = 2_200_000 }
        defer { world.simulation.end() }
        _ = try fill(world, revisions: 13)
        let name = try #require(RoomName("room"))
        let readers = try (1...2).map {
            try world.greet("reader \($0)", from: "10.0.0.\($0)", features: [])
        }
        for reader in readers {
            reader.stream?.isReadingPaused = true
            reader.send(.readSnapshot(ReadSnapshot(request: 1, room: name)))
            world.run(forMilliseconds: 500)
        }
        let held = try #require(world.server).unreadAnswerBytes
        #expect((500_000...620_000).contains(held), "\(held) bytes")
        readers[0].close()
        world.run(forMilliseconds: 1000)
        #expect(try #require(world.server).unreadAnswerBytes == held)
        // Its address has its whole share again.
        let again = try world.greet("again", from: "10.0.0.1", features: [])
        again.send(.readSnapshot(ReadSnapshot(request: 1, room: name, revision: 12)))
        #expect(world.run { again.done.contains(1) || !again.errors.isEmpty })
        #expect(again.errors.isEmpty)
    }

    @Test("the log reports a nearly full disk once each time")
    func disk() throws {
        let world = try World { $0.storage.maximumDiskBytes = 1_000_000 }
        defer { world.simulation.end() }
        let (anna, room) = try world.join("anna")
        var counter: UInt64 = 0
        var warnings: [Int] = []
        for used in [799_000, 800_000, 990_000, 750_000, 950_000, 600_000, 801_000] as [UInt64] {
            world.storage.usedBytes = used
            counter += 1
            anna.submit(counter, in: room, [.insert("i\(counter)")])
            world.run(forMilliseconds: 3000)
            warnings.append(world.log.lines.count { $0.contains("nearly as large") })
        }
        #expect(warnings == [0, 1, 1, 1, 1, 1, 2])
    }

    @Test("a client that requests and leaves keeps no room open")
    func goneAtOnce() throws {
        let world = try World { $0.storage.idleUnloadMilliseconds = 1000 }
        defer { world.simulation.end() }
        let (anna, room) = try world.join("anna")
        anna.submit(1, in: room, [.insert("i")])
        #expect(world.run { anna.revision(room) == 1 })
        anna.close()
        func count(_ what: String) -> Int {
            world.log.lines.count { $0.contains("a room is \(what)") }
        }
        #expect(world.run { count("closed") == 1 })
        let name = try #require(RoomName("room"))
        for delay in 0..<12 as Range<UInt64> {
            let carl = try world.greet("carl \(delay)")
            carl.send(.readSnapshot(ReadSnapshot(request: 1, room: name)))
            world.run(forMilliseconds: delay)
            carl.close()
            world.run(forMilliseconds: 5000)
        }
        #expect(count("open") == count("closed"))
    }

    @Test("many requests for lists at the same time share a few lists")
    func lists() throws {
        let world = try World { $0.threads = 2 }
        defer { world.simulation.end() }
        let anna = try world.greet("anna")
        for number in 0..<20 { _ = try world.join(anna, "room\(number)") }
        let clients = try (0..<4).map { try world.greet("c\($0)") }
        let before = world.storage.listCount
        for client in clients {
            for request in 1...64 as ClosedRange<RequestID> {
                client.send(.listRooms(ListRooms(request: request)))
            }
        }
        #expect(world.run { clients.allSatisfy { $0.roomLists.count == 64 } })
        #expect(world.storage.listCount - before <= 4)
        for client in clients {
            #expect(Set(client.roomLists.map(\.request)) == Set(1...64))
            #expect(client.roomLists.allSatisfy { $0.rooms.count == 20 })
            client.send(.listRooms(ListRooms(request: 65)))
        }
        #expect(world.run { clients.allSatisfy { $0.roomLists.count == 65 } })
        #expect(clients.allSatisfy { $0.errors.isEmpty })
    }
}

extension World {
    /// The content of every new room.
    fileprivate func emptyRoom() throws -> Snapshot {
        let (client, room) = try join("nobody", "another room")
        #expect(run { client.revision(room) == 0 })
        return try #require(client.replicas[room]?.snapshot)
    }
}
