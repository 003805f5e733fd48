import SyncIO
import SyncStore
import Testing

/// The order in which a store runs its calls.
@Suite struct WorkerStoreTests {
    @Test func appendsGoBetweenTheStepsOfSaving() throws {
        let fixture = try StoreFixture(.sqlite)
        var maker = RoomMaker(seed: 1)
        try fixture.append(maker.next(), to: "r").get()
        let events = Monitor<[String]>([])
        @Sendable func note(_ event: String) {
            events.withLock { $0.append(event) }
        }
        fixture.store.saveSnapshot(maker.snapshot(bodyBytes: 4 << 20), of: "r") { _ in
            note("saved")
        }
        fixture.worker.runOne()
        fixture.store.append(maker.next(), to: "r") { _ in note("appended") }
        fixture.store.rooms { _ in note("rooms") }
        fixture.store.open(room: "r", admitting: { _ in true }) { result in
            // Half a snapshot does not count.
            #expect((try? result.get()?.snapshot) == .some(nil))
            note("opened")
        }
        fixture.worker.runAll()
        #expect(events.withLock { $0 } == ["appended", "rooms", "opened", "saved"])
    }

    @Test func aRoomDeletedWhileASnapshotIsSavedIsGone() throws {
        let fixture = try StoreFixture(.sqlite)
        var maker = RoomMaker(seed: 2)
        try fixture.append(maker.next(), to: "r").get()
        let saved = Answer<Void>()
        let snapshot = maker.snapshot(bodyBytes: 4 << 20)
        fixture.store.saveSnapshot(snapshot, of: "r", completion: saved.completion)
        fixture.worker.runOne()
        try fixture.delete("r").get()
        #expect(saved.value?.error == .noSuchRoom("r"))
        fixture.store.finish()
        #expect(try verify(fixture.folder) == [])
    }

    @Test func aRoomMadeAgainWhileASnapshotIsSavedDoesNotGetIt() throws {
        let folder = TemporaryFolder()
        let storage = try SQLiteStorage(directory: folder.path)
        var maker = RoomMaker(seed: 3)
        let first = PendingAppend(record: maker.next(), room: "r")
        #expect(try storage.append([first]) == [nil])
        let snapshot = maker.snapshot(bodyBytes: 4 << 20)
        #expect(try !storage.saveSnapshot(snapshot, of: "r"))
        try storage.deleteRoom("r")
        #expect(try storage.append([first]) == [nil])
        #expect(throws: StoreError.self) { try storage.saveSnapshot(snapshot, of: "r") }
        let room = StoredRoom(snapshot: nil, records: [first.record])
        #expect(try storage.open(room: "r") == room)
        storage.close()
    }

    @Test func oneTurnDoesAllAppendsAndOneCall() throws {
        let fixture = try StoreFixture(.memory)
        var maker = RoomMaker(seed: 4)
        let count = Monitor(0)
        for _ in 0..<5 {
            fixture.store.rooms { _ in count.withLock { $0 += 1 } }
            fixture.store.append(maker.next(), to: "r") { _ in
                count.withLock { $0 += 100 }
            }
        }
        fixture.worker.runOne()
        #expect(count.withLock { $0 } == 501)
        fixture.worker.runOne()
        #expect(count.withLock { $0 } == 502)
    }
}
