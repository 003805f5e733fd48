import ModelSupport
import SyncModel
import SyncServer
import SyncSim
import SyncStore
import SyncWire
import Testing

@Suite("The life of rooms and of the server")
struct LifeTests {
    @Test("an idle room is saved and closed, and can be opened again")
    func unloading() throws {
        let world = try World {
            $0.storage.idleUnloadMilliseconds = 5000
            $0.maximumRooms = 1
            $0.storage.snapshotRevisions = 511
        }
        let (anna, room) = try world.join("anna", "one")
        for counter in 1...10 { anna.submit(UInt64(counter), in: room, [.insert("i\(counter)")]) }
        #expect(world.run { anna.revision(room) == 10 })
        let other = anna.join("two")
        #expect(world.run { anna.errors[.request(other)]?.code == .tooManyRooms })
        anna.send(.leave(Leave(request: 60, room: room)))
        #expect(world.run { anna.done.contains(60) })
        world.run(forMilliseconds: 7000)
        _ = try world.join(anna, "two")
        let stored = try #require(try world.storage.open(room: roomName("one")))
        #expect(stored.snapshot?.revision == 10)
        #expect(stored.records.isEmpty)
        anna.close()
        world.run(forMilliseconds: 7000)
        let (bert, again) = try world.join("bert", "one")
        #expect(world.run { bert.revision(again) == 10 })
        #expect(bert.items(again) == (1...10).map { "i\($0)" })
    }

    @Test("an idle room with few edits is closed without an image, and can be opened again")
    func unloadingWithLittle() throws {
        let world = try World { $0.storage.idleUnloadMilliseconds = 5000 }
        var counter: UInt64 = 0
        for (count, images) in [(10, 0), (990, 1), (10, 1), (10, 1), (980, 2)] {
            let (anna, room) = try world.join("anna")
            for _ in 0..<count {
                counter += 1
                anna.submit(counter, in: room, base: 0, [.insert("i\(counter)")])
                if counter % 100 == 0 { world.run(forMilliseconds: 100) }
            }
            #expect(world.run { anna.revision(room) == counter })
            #expect(anna.items(room).count == Int(counter))
            anna.close()
            world.run(forMilliseconds: 7000)
            #expect(world.storage.savedSnapshots.count == images, "after \(counter) edits")
        }
        #expect(world.storage.openedRooms.count == 5)
    }

    @Test("a join that comes while the last image of an idle room is saved is answered")
    func joinWhileSaving() throws {
        let world = try World {
            $0.storage.idleUnloadMilliseconds = 5000
            $0.storage.snapshotRevisions = 511
        }
        let (anna, room) = try world.join("anna")
        for counter in 1...10 { anna.submit(UInt64(counter), in: room, [.insert("i\(counter)")]) }
        #expect(world.run { anna.revision(room) == 10 })
        let bert = try world.greet("bert")
        anna.close()
        // The image takes far longer than a message.
        world.simulation.conditions.jobMicroseconds = 100_000...100_000
        world.run(forMilliseconds: 5020)
        #expect(world.storage.savedSnapshots.isEmpty)
        let again = try world.join(bert)
        // The room was not closed, so it was not opened a second time.
        #expect(world.run { world.storage.savedSnapshots.count == 1 && bert.revision(again) == 10 })
        #expect(world.storage.openedRooms.count == 1)
        bert.submit(1, in: again, base: 10, [.insert("i11")])
        #expect(world.run { bert.revision(again) == 11 })
        #expect(bert.items(again) == (1...11).map { "i\($0)" })
        bert.close()
        world.run(forMilliseconds: 7000)
        let (carl, later) = try world.join("carl")
        #expect(world.run { carl.items(later) == (1...11).map { "i\($0)" } })
        #expect(world.storage.openedRooms.count == 2)
    }

    @Test("rooms are created only if that is allowed")
    func creating() throws {
        let world = try World { $0.storage.createsRooms = false }
        let anna = try world.greet("anna")
        let request = anna.join("room")
        #expect(world.run { anna.errors[.request(request)]?.code == .roomNotFound })
    }

    @Test("a deleted room is gone, and its name is free")
    func deletion() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        let (bert, _) = try world.join("bert")
        anna.submit(1, in: room, [.insert("a")])
        #expect(world.run { anna.revision(room) == 1 })
        let name = try #require(RoomName("room"))
        for counter in 2...50 { anna.submit(UInt64(counter), in: room, [.insert("i\(counter)")]) }
        bert.send(.deleteRoom(RoomRequest(request: 80, room: name)))
        #expect(world.run { bert.done.contains(80) })
        #expect(world.run { anna.troubles[room]?.first == .roomDeleted })
        #expect(world.run { bert.errors[.room(room)]?.code == .roomDeleted })
        world.run(forMilliseconds: 1000)
        #expect(try world.storage.open(room: roomName("room")) == nil)
        let (carl, again) = try world.join("carl")
        #expect(world.run { carl.revision(again) == 0 })
        bert.send(.deleteRoom(RoomRequest(request: 81, room: try #require(RoomName("none")))))
        #expect(world.run { bert.errors[.request(81)]?.code == .roomNotFound })
    }

    @Test(
        "a drain stores and answers what was received, notifies clients and saves rooms",
        arguments: 1...20)
    func drain(seed: UInt64) throws {
        let world = try World(seed: seed) { $0.threads = Int(seed % 3) + 1 }
        let (anna, room) = try world.join("anna")
        for counter in 1...100 {
            anna.submit(UInt64(counter), in: room, base: 0, [.insert("i\(counter)")])
        }
        world.run(forMilliseconds: seed)
        world.drain()
        world.run(forMilliseconds: 100)
        #expect(anna.isClosed)
        #expect(anna.connectionError?.code == .shuttingDown)
        let acks = anna.replicas[room]?.answers.count ?? 0
        if let stored = try world.storage.open(room: roomName("room")) {
            let kept = stored.records.last?.lastRevision ?? stored.snapshot?.revision
            #expect(kept == UInt64(acks), "every answered transaction is stored")
        } else {
            #expect(acks == 0)
        }
        try world.start()
        let (later, again) = try world.join("anna")
        for counter in 1...100 {
            later.submit(UInt64(counter), in: again, base: 0, [.insert("i\(counter)")])
        }
        #expect(world.run { later.revision(again) == 100 })
        #expect(later.items(again) == (1...100).map { "i\($0)" })
    }

    @Test("an address in use is an error")
    func addressInUse() throws {
        let world = try World()
        do {
            try world.start()
            Issue.record("two servers listen on one port")
        } catch {
            #expect("\(error)".contains("in use"))
        }
    }
}
