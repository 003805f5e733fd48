import ModelSupport
import RoomSupport
import SeededRandom
import SyncBytes
import SyncIO
import SyncLayout
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

@Suite("No holder uses up what all share")
struct ShareTests {
    private static let mallory = "10.0.0.1"
    private static let anna = "10.0.0.2"

    private func large(_ name: String, bytes: Int = 100_000) throws -> ListOperation {
        // Random text, which deflating hardly shortens.
        var random = SplitMix64(seed: UInt64(name.utf8.reduce(0) { $0 &* 31 &+ Int($1) }))
        let letters = (0..<bytes).map { _ in
            UInt8.random(in: UInt8(ascii: "0")...UInt8(ascii: "z"), using: &random)
        }
        let text = String(decoding: letters, as: UTF8.self)
        let content = try ItemContent(fields: [Field(name: id("t"), value: .text(text))])
        return .insert(Item(id: id(name), content: content), to: Placement(section: id("main")))
    }

    /// Inserts until a transaction is refused.
    ///
    /// - Returns: how many were accepted, and the code of the refusal.
    private func fill(
        _ client: RawClient, _ room: RoomHandle, _ world: World
    ) throws -> (taken: UInt64, code: Rejection.Code?) {
        for counter in 1...UInt64(100) {
            client.submit(counter, in: room, base: 0, [try large("i\(counter)")])
            #expect(world.run { client.answer(counter, in: room) != nil })
            if case .reject(let code) = client.answer(counter, in: room) {
                return (counter - 1, code)
            }
        }
        return (100, nil)
    }

    // MARK: Memory

    @Test("a holder that fills memory may only delete; others are served", arguments: 1...3)
    func memory(seed: UInt64) throws {
        let world = try World(seed: seed) { $0.maximumMemoryBytes = 8 << 20 }
        let stranger = try world.greet("m", from: Self.mallory)
        let room = try world.join(stranger, "full")
        let (taken, code) = try fill(stranger, room, world)
        #expect(code == .unavailable && taken >= 40, "\(taken) transactions of 100 KB were taken")
        #expect(world.log.count(of: "memory is short") == 0)
        let innocent = try world.greet("a", from: Self.anna)
        let other = try world.join(innocent, "elsewhere")
        for counter in 1...3 as ClosedRange<UInt64> {
            innocent.submit(counter, in: other, base: 0, [try large("a\(counter)")])
            #expect(world.run { innocent.answer(counter, in: other) != nil })
            #expect(innocent.answer(counter, in: other) == .ack(Commit(revision: counter)))
        }
        // The refused counter is sent again with a delete.
        stranger.submit(taken + 1, in: room, base: taken, [.delete(id("i1"))])
        #expect(world.run { stranger.revision(room) == taken + 1 })
    }

    @Test("rooms without members are closed first, without an image")
    func idleRooms() throws {
        let world = try World { $0.maximumMemoryBytes = 8 << 20 }
        for number in 0..<10 {
            let (client, room) = try world.join("filler", "room\(number)")
            for counter in 1...8 as ClosedRange<UInt64> {
                client.submit(counter, in: room, base: 0, [try large("i\(counter)")])
            }
            #expect(world.run { client.answer(8, in: room) == .ack(Commit(revision: 8)) })
            client.close()
            world.run(forMilliseconds: 200)
        }
        #expect(world.log.count(of: "a room is closed") >= 1)
        #expect(world.log.count(of: "memory is short") == 0)
        let (late, again) = try world.join("late", "room0")
        #expect(world.run { late.items(again).count == 8 })
    }

    // MARK: Disk

    @Test("a holder that fills the disk may not write, even when it returns", arguments: 1...3)
    func disk(seed: UInt64) throws {
        let limit: UInt64 = 4 << 20
        let world = try World(seed: seed) { $0.storage.maximumDiskBytes = limit }
        world.storage.maximumBytes = limit
        let stranger = try world.greet("m", from: Self.mallory)
        let (taken, code) = try fill(stranger, try world.join(stranger, "full"), world)
        #expect(code == .unavailable && taken >= 30, "\(taken) transactions of 100 KB were taken")
        stranger.close()
        // The room has no member any more, so it is closed.
        world.run(forMilliseconds: 70_000)
        let again = try world.greet("n", from: Self.mallory)
        let second = try world.join(again, "second")
        again.submit(1, in: second, base: 0, [.insert("a")])
        #expect(world.run { again.answer(1, in: second) == .reject(.unavailable) })

        let innocent = try world.greet("a", from: Self.anna)
        let other = try world.join(innocent, "elsewhere")
        for counter in 1...3 as ClosedRange<UInt64> {
            innocent.submit(counter, in: other, base: 0, [try large("a\(counter)")])
            #expect(world.run { innocent.answer(counter, in: other) != nil })
            #expect(innocent.answer(counter, in: other) == .ack(Commit(revision: counter)))
        }
        #expect(world.storage.fullCount == 0)

        // Once its room is deleted the holder may write again.
        again.send(.deleteRoom(RoomRequest(request: 9, room: try #require(RoomName("full")))))
        #expect(world.run { again.done.contains(9) })
        world.run(forMilliseconds: 2000)
        again.submit(1, in: second, base: 0, [.insert("a")])
        #expect(world.run { again.revision(second) == 1 })
    }

    // MARK: Reads

    @Test("many readers that take no answers leave others their answers")
    func answers() throws {
        let world = try World {
            $0.reads.maximumBytes = 5_000_000
            $0.room.horizon = 100
        }
        let (filler, room) = try world.join("filler", "room")
        for counter in 1...8 as ClosedRange<UInt64> {
            filler.submit(counter, in: room, base: 0, [try large("i\(counter)", bytes: 40_000)])
            #expect(world.run { filler.revision(room) == counter })
        }
        let name = try #require(RoomName("room"))
        for number in 0..<6 {
            let stranger = try world.greet("m\(number)", from: Self.mallory)
            stranger.stream?.isReadingPaused = true
            for revision in 1...8 as ClosedRange<Revision> {
                stranger.send(
                    .readHistory(
                        ReadHistory(
                            request: RequestID(revision), room: name,
                            from: Revision(number % 4), until: revision)))
            }
            world.run(forMilliseconds: 300)
        }
        #expect(try #require(world.server).unreadAnswerBytes > 500_000)
        let innocent = try world.greet("a", from: Self.anna)
        innocent.send(.readSnapshot(ReadSnapshot(request: 9, room: name)))
        #expect(world.run(limitMilliseconds: 3000) { innocent.done.contains(9) })
    }

    @Test("histories that are read revision by revision count as answers")
    func histories() throws {
        let world = try World { $0.reads.maximumBytes = 4 << 20 }
        let (filler, room) = try world.join("filler", "room")
        for counter in 1...8 as ClosedRange<UInt64> {
            filler.submit(counter, in: room, base: 0, [try large("i\(counter)")])
            #expect(world.run { filler.revision(room) == counter })
        }
        let name = try #require(RoomName("room"))
        func read(_ client: RawClient, _ request: RequestID) {
            client.send(
                .readHistory(
                    ReadHistory(
                        request: request, room: name, from: 0, until: 8, everyRevision: true)))
        }
        let stranger = try world.greet("m", from: Self.mallory)
        stranger.stream?.isReadingPaused = true
        for request in 1...12 as ClosedRange<RequestID> { read(stranger, request) }
        world.run(forMilliseconds: 500)
        let server = try #require(world.server)
        #expect((3 * Room.deliveryBytes..<3 << 20).contains(server.unreadAnswerBytes))
        #expect(server.memory[.reads] >= server.unreadAnswerBytes)
        let innocent = try world.greet("a", from: Self.anna)
        read(innocent, 1)
        #expect(world.run(limitMilliseconds: 5000) { innocent.done.contains(1) })
        stranger.stream?.isReadingPaused = false
        #expect(world.run { stranger.done.count + stranger.errors.count == 12 })
        #expect(stranger.errors.values.allSatisfy { $0.code == .unavailable })
        #expect(!stranger.errors.isEmpty && server.unreadAnswerBytes == 0)
    }

    @Test("a client with many queued reads leaves others a place in the queue")
    func line() throws {
        let world = try World {
            $0.room.horizon = 2
            $0.room.maximumHorizon = 2
            $0.reads.maximumReplays = 1
            $0.reads.maximumWaiting = 12
        }
        let (filler, room) = try world.join("filler", "room")
        for counter in 1...20 as ClosedRange<UInt64> {
            filler.submit(counter, in: room, base: 0, [try large("i\(counter)", bytes: 40_000)])
            #expect(world.run { filler.revision(room) == counter })
        }
        let name = try #require(RoomName("room"))
        func read(_ client: RawClient, _ request: RequestID) {
            client.send(
                .readHistory(
                    ReadHistory(
                        request: request, room: name, from: 0, until: 20, everyRevision: true)))
        }
        var strangers: [RawClient] = []
        for number in 0..<4 {
            let stranger = try world.greet("m\(number)", from: Self.mallory)
            stranger.stream?.isReadingPaused = true
            for request in 1...12 as ClosedRange<RequestID> { read(stranger, request) }
            strangers.append(stranger)
        }
        let innocent = try world.greet("a", from: Self.anna)
        read(innocent, 1)
        #expect(world.run(limitMilliseconds: 20_000) { innocent.done.contains(1) })
        for stranger in strangers { stranger.stream?.isReadingPaused = false }
        world.run(forMilliseconds: 2000)
        #expect(strangers.contains { !$0.errors.isEmpty })
    }

    @Test("a client that reads room after room leaves others their places")
    func places() throws {
        let world = try World { $0.maximumRooms = 6 }
        for number in 0..<8 {
            let (client, room) = try world.join("filler", "room\(number)")
            client.submit(1, in: room, base: 0, [try large("a", bytes: 40_000)])
            #expect(world.run { client.revision(room) == 1 })
            client.close()
            world.run(forMilliseconds: 100)
        }
        // The answers are not taken, so the rooms stay in use.
        world.simulation.conditions.socketBufferBytes = 4096
        let stranger = try world.greet("m", from: Self.mallory)
        stranger.stream?.isReadingPaused = true
        for number in 0..<8 {
            let name = try #require(RoomName("room\(number)"))
            stranger.send(.readSnapshot(ReadSnapshot(request: RequestID(number), room: name)))
        }
        world.run(forMilliseconds: 500)
        let innocent = try world.greet("a", from: Self.anna)
        let request = innocent.join("another")
        #expect(world.run { innocent.joined[request] != nil || !innocent.errors.isEmpty })
        let room = try #require(innocent.joined[request]?.handle)
        innocent.submit(1, in: room, base: 0, [.insert("a")])
        #expect(world.run { innocent.revision(room) == 1 })
        // A room that was only opened for a read is closed soon.
        stranger.close()
        world.run(forMilliseconds: 2000)
        innocent.send(.readStats(RoomRequest(request: 9, room: try #require(RoomName("another")))))
        #expect(world.run { innocent.stats[9] != nil })
        #expect(innocent.stats[9]?.server[.openRooms] == 1)
    }

    @Test("a client that joins room after room leaves others their places")
    func joinedPlaces() throws {
        let world = try World { $0.maximumRooms = 6 }
        for number in 0..<8 {
            let stranger = try world.greet("m\(number)", from: Self.mallory)
            _ = stranger.join("room\(number)")
            world.run(forMilliseconds: 100)
        }
        let innocent = try world.greet("a", from: Self.anna)
        let request = innocent.join("another")
        #expect(world.run { !innocent.joined.isEmpty || !innocent.errors.isEmpty })
        #expect(innocent.errors[.request(request)] == nil && innocent.joined.count == 1)
    }

    // MARK: In a room

    private func join(_ world: World, _ name: String, from address: String) throws -> (
        client: RawClient, room: RoomHandle
    ) {
        let client = try world.greet(name, from: address)
        return (client, try world.join(client, "room", presence: true))
    }

    private func view(_ room: RoomHandle, _ number: ViewNumber, width: Double) -> ClientMessage {
        .view(
            ViewRequest(
                room: room, view: number, layout: ViewLayout(.flow),
                bounds: ListRect(width: width, height: 300)))
    }

    @Test("a client that views a room in many layouts leaves others some")
    func layouts() throws {
        let world = try World { $0.room.maximumLayouts = 8 }
        for number in 0..<4 {
            let (stranger, room) = try join(world, "m\(number)", from: Self.mallory)
            for view in 1...4 as ClosedRange<ViewNumber> {
                stranger.send(self.view(room, view, width: 100 * Double(number + 1) + Double(view)))
            }
            world.run(forMilliseconds: 200)
        }
        let (innocent, room) = try join(world, "a", from: Self.anna)
        innocent.send(view(room, 1, width: 777))
        #expect(world.run { !innocent.viewUpdates.isEmpty || !innocent.viewErrors.isEmpty })
        #expect(innocent.viewErrors.isEmpty)
    }

    @Test("a shared layout counts for its other viewer once its first viewer leaves")
    func passingOn() throws {
        let world = try World { $0.room.maximumLayouts = 2 }
        let (first, room) = try join(world, "m", from: Self.mallory)
        let (second, same) = try join(world, "a", from: Self.anna)
        first.send(view(room, 1, width: 300))
        second.send(view(same, 1, width: 300))
        #expect(world.run { second.viewUpdates.count == 1 })
        first.close()
        world.run(forMilliseconds: 100)
        // The layout now counts for the second client, whose share is half of the layouts.
        second.send(view(same, 2, width: 400))
        #expect(world.run { second.viewErrors.count == 1 })
        second.send(.view(ViewRequest(room: same, view: 1, isClosed: true)))
        second.send(view(same, 3, width: 400))
        #expect(world.run { second.viewUpdates.contains { $0.view == 3 } })
    }

    @Test("a client with much presence leaves others some")
    func presence() throws {
        let world = try World { $0.room.maximumPresenceBytes = 20_000 }
        func show(_ client: RawClient, _ room: RoomHandle, _ bytes: Int) throws {
            var state = PresenceState()
            state.custom = try EncodedValue(.text(String(repeating: "x", count: bytes)))
            client.send(.presence(Presence(room: room, state: state)))
        }
        let (watcher, _) = try join(world, "w", from: "10.0.0.3")
        // The last ones use up what the first ones leave below the limit.
        for (number, bytes) in [4000, 4000, 4000, 4000, 1000, 1000, 1000, 300, 300].enumerated() {
            let (stranger, room) = try join(world, "m\(number)", from: Self.mallory)
            try show(stranger, room, bytes)
            world.run(forMilliseconds: 100)
        }
        let (innocent, room) = try join(world, "a", from: Self.anna)
        try show(innocent, room, 900)
        #expect(world.run { watcher.others["a"]?.custom != nil })
        #expect(innocent.errors.isEmpty)
    }

    @Test("a client with many shared drags leaves others one")
    func drags() throws {
        let world = try World { $0.room.maximumSharedDrags = 4 }
        let (filler, main) = try join(world, "f", from: "10.0.0.3")
        filler.submit(1, in: main, base: 0, (0..<9).map { .insert("i\($0)") })
        #expect(world.run { filler.revision(main) == 1 })
        func drag(_ client: RawClient, _ room: RoomHandle, _ item: Int) {
            client.send(view(room, 1, width: 300))
            client.send(
                .drag(
                    Drag(
                        room: room, number: 1,
                        .begin(id("i\(item)"), view: 1, isShared: true))))
        }
        for number in 0..<6 {
            let (stranger, room) = try join(world, "m\(number)", from: Self.mallory)
            drag(stranger, room, number)
            world.run(forMilliseconds: 100)
        }
        let (innocent, room) = try join(world, "a", from: Self.anna)
        drag(innocent, room, 8)
        #expect(world.run { !innocent.dragTargets.isEmpty || !innocent.errors.isEmpty })
        #expect(innocent.errors.isEmpty)
    }
}
