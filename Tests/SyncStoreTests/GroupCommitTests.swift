import Dispatch
import SyncIO
import SyncModel
import SyncStore
import Testing

/// What is committed together, and reads during a commit.
@Suite struct GroupCommitTests {
    @Test(arguments: StoreKind.allCases)
    func aGroupHasFourMebibytesAtMostAndEachRoomItsTurn(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let order = Monitor<[String]>([])
        var large = RoomMaker(seed: 1)
        var small = RoomMaker(seed: 2)
        for number in 1...6 {
            fixture.store.append(large.next(bodyBytes: 1_500_000), to: "large") { _ in
                order.withLock { $0.append("large \(number)") }
            }
        }
        for number in 1...3 {
            fixture.store.append(small.next(bodyBytes: 100), to: "small") { _ in
                order.withLock { $0.append("small \(number)") }
            }
        }
        fixture.worker.runOne()
        #expect(
            order.withLock { $0 } == ["large 1", "small 1", "large 2", "small 2"])
        fixture.worker.runAll()
        #expect(order.withLock { $0 }.count == 9)
        #expect(fixture.store.statistics.commits == 3)
        #expect(try fixture.open("large").get()?.records == large.records)
        #expect(try fixture.open("small").get()?.records == small.records)
    }

    @Test func aRecordAboveTheLimitIsAGroupByItself() throws {
        let fixture = try StoreFixture(.memory)
        var maker = RoomMaker(seed: 3)
        for _ in 0..<2 {
            fixture.store.append(
                maker.next(bodyBytes: WorkerStore.groupBytes + 1), to: "r"
            ) { _ in }
        }
        fixture.worker.runAll()
        #expect(fixture.store.statistics.records == 2)
        #expect(fixture.store.statistics.commits == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func aRoomIsDeletedBehindAllThatWasAppendedToIt(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var maker = RoomMaker(seed: 4)
        let refusals = Monitor(0)
        for _ in 0..<4 {
            fixture.store.append(maker.next(bodyBytes: 3 << 20), to: "r") { result in
                if case .failure = result { refusals.withLock { $0 += 1 } }
            }
        }
        try fixture.delete("r").get()
        #expect(refusals.withLock { $0 } == 0)
        #expect(try fixture.rooms().get() == [])
        fixture.store.finish()
        switch kind {
        case .memory: break
        case .sqlite: #expect(try verify(fixture.folder) == [])
        }
    }

    @Test func readingWaitsForNoCommit() throws {
        let folder = TemporaryFolder()
        let (writer, reader) = (ManualWorker(), ManualWorker())
        let store = try WorkerStore.sqlite(
            directory: folder.path, options: SQLiteOptions(syncMode: .relaxed), worker: writer,
            reader: reader)
        var maker = RoomMaker(seed: 5)
        let first = maker.next(20)
        for record in first { store.append(record, to: "r") { _ in } }
        writer.runAll()
        // A read neither waits for appends in flight nor sees them.
        store.append(maker.next(), to: "r") { _ in }
        let answer = Answer<StoredRoom?>()
        store.open(room: "r", admitting: { _ in true }, completion: answer.completion)
        reader.runAll()
        #expect(try answer.value?.get() == StoredRoom(snapshot: nil, records: first))
        writer.runAll()
        let again = Answer<StoredRoom?>()
        store.open(room: "r", admitting: { _ in true }, completion: again.completion)
        reader.runAll()
        #expect(try again.value?.get() == StoredRoom(snapshot: nil, records: maker.records))
        store.finish()
        let late = Answer<[StoredRoomSummary]>()
        store.rooms(completion: late.completion)
        #expect(late.value?.error == .closed)
    }

    /// A read on one thread, while another appends, compacts and deletes, returns the state at some
    /// moment.
    @Test func whatIsReadIsWholeWhateverIsWrittenMeanwhile() throws {
        let folder = TemporaryFolder()
        let store = try WorkerStore.sqlite(
            directory: folder.path, options: SQLiteOptions(syncMode: .relaxed),
            worker: ThreadWorker(), reader: ThreadWorker())
        let problems = Monitor<[String]>([])
        for life in 0..<6 as Range<UInt64> {
            var maker = RoomMaker(seed: life)
            for round in 0..<12 {
                for record in maker.next(15) { store.append(record, to: "r") { _ in } }
                let snapshot = maker.snapshot()
                let cutoff = round % 3 == 2 ? maker.time : 0
                store.saveSnapshot(snapshot, of: "r") { _ in
                    store.compact(room: "r", olderThanTrustedMilliseconds: cutoff) { _ in }
                }
                for _ in 0..<8 {
                    store.open(room: "r", admitting: { _ in true }) { result in
                        if let problem = Self.problem(in: result) {
                            problems.withLock { $0.append(problem) }
                        }
                    }
                }
            }
            let deleted = DispatchSemaphore(value: 0)
            store.deleteRoom("r") { _ in deleted.signal() }
            deleted.wait()
        }
        store.finish()
        #expect(problems.withLock { $0 } == [])
        #expect(try verify(folder) == [])
    }

    private static func problem(in result: Result<StoredRoom?, StoreError>) -> String? {
        switch result {
        case .success(nil): return nil
        case .success(let room?):
            let first = (room.snapshot?.sequence ?? 0) + 1
            let expected = (0..<UInt64(room.records.count)).map { first + $0 }
            return room.records.map(\.sequence) == expected ? nil : "there is a gap"
        case .failure(let error): return error.description
        }
    }
}
