import ModelSupport
import SyncBytes
import SyncModel
import SyncServer
import SyncSim
import SyncStore
import SyncWire
import Testing

@Suite("When the store fails")
struct FailureTests {
    @Test("L5: what can't be stored is refused, and applied once when resent", arguments: 1...20)
    func refusedAppend(seed: UInt64) throws {
        let world = try World(seed: seed)
        let (anna, room) = try world.join("anna")
        let (bert, _) = try world.join("bert")
        anna.submit(1, in: room, [.insert("a")])
        #expect(world.run { anna.revision(room) == 1 && bert.revision(room) == 1 })
        world.storage.appendsBeforeFault = Int(seed % 4)
        world.storage.appendFault = .refuse(.diskFull)
        for counter in 2...30 {
            anna.submit(UInt64(counter), in: room, base: 0, [.insert("i\(counter)")])
            if counter % 5 == 0 { world.run(forMilliseconds: 2) }
        }
        #expect(world.run { anna.replicas[room]?.answers.count == 30 })
        let refused = (2...30).filter { anna.answer($0, in: room) == .reject(.unavailable) }
        #expect(!refused.isEmpty)
        world.run(forMilliseconds: 1000)
        #expect(
            bert.revision(room) == UInt64(30 - refused.count), "nothing is shown that is not kept")
        #expect(bert.items(room).count == 30 - refused.count)
        world.storage.appendFault = nil
        for counter in refused {
            anna.submit(counter, in: room, base: 0, [.insert("i\(counter)")])
        }
        #expect(world.run { bert.revision(room) == 30 && anna.revision(room) == 30 })
        #expect(bert.items(room) == ["a"] + (2...30).map { "i\($0)" })
        #expect(anna.replicas[room]?.snapshot == bert.replicas[room]?.snapshot)
        #expect(!anna.isClosed && !bert.isClosed)
    }

    @Test("L5: a transaction that is on disk nevertheless gets its first answer", arguments: 1...10)
    func writtenAndFailed(seed: UInt64) throws {
        let world = try World(seed: seed)
        let (anna, room) = try world.join("anna")
        #expect(world.run { anna.revision(room) == 0 })
        world.storage.appendFault = .writeAndFail(.io("sync"))
        anna.submit(1, in: room, base: 0, [.insert("a")])
        #expect(world.run { anna.answer(1, in: room) != nil })
        #expect(anna.answer(1, in: room) == .reject(.unavailable))
        world.storage.appendFault = nil
        world.run(forMilliseconds: 1000)
        anna.submit(1, in: room, base: 0, [.insert("a")])
        #expect(world.run { anna.replicas[room]?.answers.count == 2 })
        #expect(anna.replicas[room]?.answers.last?.outcome == .ack(Commit(revision: 1)))
        #expect(world.run { anna.items(room) == ["a"] })
        world.run(forMilliseconds: 1000)
        #expect(anna.revision(room) == 1)
    }

    @Test("transactions behind a refused one wait until that is resent")
    func order() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        #expect(world.run { anna.revision(room) == 0 })
        world.storage.appendFault = .refuse(.diskFull)
        anna.submit(1, in: room, base: 0, [.insert("a")])
        anna.submit(2, in: room, base: 0, [.insert("b")])
        #expect(world.run { anna.replicas[room]?.answers.count == 2 })
        world.storage.appendFault = nil
        world.run(forMilliseconds: 1000)
        anna.submit(3, in: room, base: 0, [.insert("c")])
        #expect(world.run { anna.replicas[room]?.answers.count == 3 })
        #expect(anna.answer(3, in: room) == .reject(.unavailable))
        // The second does not overtake the first one, either.
        anna.submit(2, in: room, base: 0, [.insert("b")])
        #expect(world.run { anna.replicas[room]?.answers.count == 4 })
        #expect(anna.replicas[room]?.answers.last?.outcome == .reject(.unavailable))
        for counter in 1...3 {
            anna.submit(
                UInt64(counter), in: room, base: 0, [.insert(["a", "b", "c"][counter - 1])])
        }
        #expect(world.run { anna.revision(room) == 3 })
        #expect(anna.items(room) == ["a", "b", "c"])
    }

    @Test("a room is opened again when the store has answered for all that was on its way")
    func recordsUnderWay() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        #expect(world.run { anna.revision(room) == 0 })
        world.simulation.conditions.jobMicroseconds = 50_000...50_000
        let opens = world.storage.openedRooms.count
        world.storage.appendFault = .refuse(.diskFull)
        for counter in 1...2 {
            anna.submit(UInt64(counter), in: room, base: 0, [.insert("i\(counter)")])
            world.run(forMilliseconds: 10)
        }
        #expect(world.run { anna.replicas[room]?.answers.count == 2 })
        world.run(forMilliseconds: 1000)
        #expect(world.storage.appendCount == 2)
        #expect(world.storage.openedRooms.count - opens == 1)
    }

    @Test("an image is saved when the log has all that is in it, and not before")
    func imageAheadOfTheLog() throws {
        let world = try World {
            $0.turnSteps = 1 << 20
            $0.storage.snapshotBytes = 500
        }
        let (anna, room) = try world.join("anna")
        #expect(world.run { anna.revision(room) == 0 })
        world.simulation.conditions.jobMicroseconds = 50_000...50_000
        world.simulation.conditions.mailDelayMicroseconds = 30_000...30_000
        world.storage.appendsBeforeFault = 1
        world.storage.appendFault = .refuse(.diskFull)
        anna.submit(1, in: room, base: 0, [.insert("a")])
        // The first record is on disk, which the room does not know yet.
        world.run(forMilliseconds: 60)
        // With this record an image is due.
        anna.submit(2, in: room, base: 0, (0..<100).map { .insert("i\($0)") })
        #expect(world.run { anna.replicas[room]?.answers.count == 2 })
        #expect(anna.answer(2, in: room) == .reject(.unavailable))
        world.run(forMilliseconds: 1000)
        #expect(world.storage.savedSnapshots.isEmpty)
        world.storage.appendFault = nil
        anna.submit(2, in: room, base: 0, (0..<100).map { .insert("i\($0)") })
        #expect(world.run { world.storage.savedSnapshots.count == 1 })
    }

    /// Some of them wait for the room when the log fails, others for what a worker reads.
    @Test("what is asked of a room waits until it is opened again", arguments: 1...20)
    func tasksWait(seed: UInt64) throws {
        let world = try World(seed: seed) {
            $0.room.horizon = 10
            $0.room.maximumHorizon = 20
        }
        let name = try #require(RoomName("room"))
        let (anna, room) = try world.join("anna")
        for counter in 1...60 as ClosedRange<UInt64> {
            anna.submit(counter, in: room, [.insert("i\(counter)")])
        }
        #expect(world.run { anna.revision(room) == 60 })
        let (bert, carl) = (try world.greet("bert"), try world.greet("carl"))
        world.storage.appendFault = .refuse(.diskFull)
        for request in 1...80 as ClosedRange<RequestID> {
            anna.submit(61, in: room, [.insert("refused")])
            switch request % 4 {
            case 0: bert.send(.readSnapshot(ReadSnapshot(request: request, room: name)))
            case 1:
                bert.send(.readSnapshot(ReadSnapshot(request: request, room: name, revision: 5)))
            case 2: bert.send(.readHistory(ReadHistory(request: request, room: name, from: 3)))
            default:
                bert.send(
                    .readHistory(
                        ReadHistory(request: request, room: name, from: 3, everyRevision: true)))
            }
            world.run(forMilliseconds: UInt64(request % 3))
        }
        let joined = carl.join("room")
        #expect(world.run { bert.done.count + bert.errors.count == 80 })
        #expect(bert.errors.isEmpty, "\(bert.errors)")
        #expect(world.run { carl.joined[joined] != nil || !carl.errors.isEmpty })
        #expect(carl.errors.isEmpty)
        #expect(world.storage.openedRooms.count > 4, "the log failed again and again")
        for request in stride(from: 4, through: 80, by: 4) as StrideThrough<RequestID> {
            #expect(bert.snapshots[request] == anna.replicas[room]?.snapshot)
        }
    }

    @Test("a room that can't be reopened is tried again until it can")
    func reopening() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        anna.submit(1, in: room, [.insert("a")])
        #expect(world.run { anna.revision(room) == 1 })
        world.storage.appendFault = .refuse(.diskFull)
        world.storage.openFault = .io("no")
        anna.submit(2, in: room, [.insert("b")])
        #expect(world.run { anna.answer(2, in: room) == .reject(.unavailable) })
        let opens = world.storage.openedRooms.count
        world.run(forMilliseconds: 20_000)
        #expect((5...15).contains(world.storage.openedRooms.count - opens), "with back-off")
        let bert = try world.greet("bert")
        let request = bert.join("room")
        #expect(world.run { bert.errors[.request(request)]?.code == .unavailable })
        anna.submit(2, in: room, [.insert("b")])
        #expect(world.run { anna.replicas[room]?.answers.count == 3 })
        world.storage.appendFault = nil
        world.storage.openFault = nil
        world.run(forMilliseconds: 6000)
        anna.submit(2, in: room, [.insert("b")])
        #expect(world.run { anna.items(room) == ["a", "b"] })
        #expect(!anna.isClosed)
        // At the next failure of the store the delays start again.
        world.storage.appendFault = .refuse(.diskFull)
        world.storage.openFault = .io("no")
        anna.submit(3, in: room, [.insert("c")])
        #expect(world.run { anna.answer(3, in: room) == .reject(.unavailable) })
        let again = world.storage.openedRooms.count
        world.run(forMilliseconds: 800)
        #expect(world.storage.openedRooms.count - again >= 2)
    }

    @Test("a damaged room is an error for those who ask for it, and for nobody else")
    func corrupt() throws {
        let world = try World()
        let (anna, room) = try world.join("anna", "good")
        world.storage.openFault = .corrupt(room: roomName("bad"), what: "record 1")
        let request = anna.join("bad")
        #expect(world.run { anna.errors[.request(request)]?.code == .storeCorrupt })
        world.storage.openFault = nil
        anna.submit(1, in: room, [.insert("a")])
        #expect(world.run { anna.items(room) == ["a"] })
    }

    @Test("bytes in the log that no room wrote are damage")
    func nonsense() throws {
        let world = try World()
        let body = SharedBytes([1, 9, 9, 9])
        _ = try world.storage.append([
            PendingAppend(
                record: LogRecord(
                    sequence: 1, firstRevision: 1, lastRevision: 1, wallClockMilliseconds: 5,
                    body: body), room: roomName("room"))
        ])
        let anna = try world.greet("anna")
        let request = anna.join("room")
        #expect(world.run { anna.errors[.request(request)]?.code == .storeCorrupt })
        anna.send(.deleteRoom(RoomRequest(request: 90, room: try #require(RoomName("room")))))
        #expect(world.run { anna.done.contains(90) })
        _ = try world.join(anna, "room")
    }
}
