import EngineTwin
import ModelSupport
import SyncBytes
import SyncModel
import SyncRoom
import SyncServer
import SyncStore
import SyncWire
import Testing

@Suite("The past")
struct HistoryReadTests {
    /// A room with many revisions and a short horizon, and each of its states.
    private func makeHistory(
        _ configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws -> (World, RawClient, RoomHandle, [Snapshot]) {
        let world = try World {
            $0.room.horizon = 10
            $0.room.maximumHorizon = 20
            $0.storage.snapshotRevisions = 40
            configure(&$0)
        }
        let (anna, room) = try world.join("anna")
        #expect(world.run { anna.revision(room) == 0 })
        var states = [try #require(anna.replicas[room]?.snapshot)]
        for counter in 1...150 {
            let operation: ListOperation =
                switch counter % 5 {
                case 0: .delete(id("i\(counter - 3)"))
                case 4: .move(id("i\(counter - 1)"), to: Placement(position: .before(id("i1"))))
                default: .insert("i\(counter)")
                }
            anna.submit(UInt64(counter), in: room, [operation])
            #expect(world.run { anna.revision(room) == Revision(counter) })
            states.append(try #require(anna.replicas[room]?.snapshot))
        }
        return (world, anna, room, states)
    }

    @Test("any state can be read, from the room or from the log")
    func snapshots() throws {
        let (world, anna, _, states) = try makeHistory()
        let name = try #require(RoomName("room"))
        for revision in [0, 1, 17, 40, 41, 99, 139, 140, 149, 150] as [Revision] {
            let request = RequestID(1000 + revision)
            anna.send(.readSnapshot(ReadSnapshot(request: request, room: name, revision: revision)))
            #expect(world.run { anna.done.contains(request) })
            #expect(anna.snapshots[request] == states[Int(revision)], "revision \(revision)")
        }
        anna.send(.readSnapshot(ReadSnapshot(request: 1, room: name)))
        #expect(world.run { anna.snapshots[1] == states[150] })
        anna.send(.readSnapshot(ReadSnapshot(request: 2, room: name, revision: 151)))
        #expect(world.run { anna.errors[.request(2)]?.code == .badRevision })
        anna.send(.readSnapshot(ReadSnapshot(request: 3, room: try #require(RoomName("none")))))
        #expect(world.run { anna.errors[.request(3)]?.code == .roomNotFound })
    }

    @Test("one batch leads from any revision to any later one")
    func composed() throws {
        let (world, anna, _, states) = try makeHistory()
        let name = try #require(RoomName("room"))
        let ranges: [(Revision, Revision)] = [
            (0, 150), (0, 1), (0, 0), (3, 140), (45, 46), (20, 90), (145, 150), (141, 149),
        ]
        for (index, range) in ranges.enumerated() {
            let request = RequestID(2000 + index)
            anna.send(
                .readHistory(
                    ReadHistory(request: request, room: name, from: range.0, until: range.1)))
            #expect(world.run { anna.done.contains(request) })
            let batches = anna.batches[request] ?? []
            #expect(batches.count == 1)
            let batch = try #require(batches.first)
            let result = try LegalityChecker.apply(batch, to: states[Int(range.0)])
            #expect(result == states[Int(range.1)], "\(range)")
        }
        anna.send(.readHistory(ReadHistory(request: 1, room: name, from: 5, until: 4)))
        #expect(world.run { anna.errors[.request(1)]?.code == .badRevision })
        anna.send(.readHistory(ReadHistory(request: 2, room: name, from: 5, until: 400)))
        #expect(world.run { anna.errors[.request(2)]?.code == .badRevision })
    }

    @Test("every revision by itself comes from the log, and then from the room")
    func everyRevision() throws {
        let (world, anna, _, states) = try makeHistory()
        let name = try #require(RoomName("room"))
        let ranges: [(Revision, Revision?)] = [(0, nil), (30, 95), (145, 150), (7, 7)]
        for (index, range) in ranges.enumerated() {
            let request = RequestID(3000 + index)
            anna.send(
                .readHistory(
                    ReadHistory(
                        request: request, room: name, from: range.0, until: range.1,
                        everyRevision: true)))
            #expect(world.run { anna.done.contains(request) })
            var state = states[Int(range.0)]
            for batch in anna.batches[request] ?? [] {
                #expect(batch.to == batch.from + 1)
                state = try LegalityChecker.apply(batch, to: state)
                #expect(state == states[Int(batch.to)])
            }
            #expect(state.revision == range.1 ?? 150)
        }
    }

    /// A log may be forged. The first one is more than the server could ever hold.
    @Test(
        "a large record is read only if there is memory for it",
        arguments: [(4 << 20, .limitExceeded), (1 << 20, .storeCorrupt)] as [(Int, ErrorCode)])
    func largeRecord(bytes: Int, code: ErrorCode) throws {
        let former = try makeHistory().0.storage
        let snapshot = try #require(former.savedSnapshots.last)
        // With another seed, the epoch that begins gets another number.
        let world = try World(seed: 2) {
            $0.room.horizon = 10
            $0.room.maximumHorizon = 20
            $0.maximumMemoryBytes = 8 << 20
        }
        for var record in try former.readLog(room: roomName("room"), after: 0, limitBytes: .max)
            .records
        {
            if record.sequence == 3 {
                record.body = SharedBytes([UInt8](repeating: 0, count: bytes))
            }
            let append = PendingAppend(record: record, room: roomName("room"))
            #expect(try world.storage.append([append]) == [nil])
        }
        while try !world.storage.saveSnapshot(snapshot, of: roomName("room")) {}
        let (bert, _) = try world.join("bert")
        let name = try #require(RoomName("room"))
        bert.send(.readSnapshot(ReadSnapshot(request: 1, room: name, revision: 10)))
        #expect(world.run { bert.errors[.request(1)] != nil })
        #expect(bert.errors[.request(1)]?.code == code)
        #expect((world.storage.logReadBytes < bytes) == (code == .limitExceeded))
    }

    @Test("a dropped history is an error with a name, and concurrent reads are limited")
    func gone() throws {
        let (world, anna, _, _) = try makeHistory {
            $0.storage.historyMilliseconds = 1000
            $0.storage.upkeepMilliseconds = 60_000
            $0.reads.maximumReplays = 2
        }
        let name = try #require(RoomName("room"))
        for request in 1...5 as ClosedRange<RequestID> {
            anna.send(.readSnapshot(ReadSnapshot(request: request, room: name, revision: 1)))
        }
        #expect(world.run { anna.done.count + anna.errors.count == 5 })
        // Reads over the limit wait for a place.
        #expect(anna.done.count == 5)
        world.run(forMilliseconds: 130_000)
        anna.send(.readSnapshot(ReadSnapshot(request: 10, room: name, revision: 1)))
        #expect(world.run { anna.errors[.request(10)]?.code == .historyGone })
        let lists = world.storage.listCount
        anna.send(.readStats(RoomRequest(request: 11, room: name)))
        #expect(world.run { anna.stats[11] != nil })
        #expect(world.storage.listCount == lists, "one read does not list all rooms")
        let stats = try #require(anna.stats[11])
        #expect(stats.oldestRevision >= 40)
        #expect(stats.snapshotRevision >= stats.oldestRevision)
    }
}
