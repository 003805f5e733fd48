import Dispatch
import SyncBytes
import SyncIO
import SyncModel
import SyncStore
import Testing

/// What every store must do with logs.
@Suite struct LogConformanceTests {
    @Test(arguments: StoreKind.allCases)
    func knowsNoRoomThatHasNoRecord(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var maker = RoomMaker(seed: 1)
        #expect(try fixture.open("r").get() == nil)
        #expect(try fixture.rooms().get() == [])
        #expect(try fixture.readLog("r", after: 0).error == .noSuchRoom("r"))
        #expect(try fixture.readSnapshot("r", atOrBelow: 9).error == .noSuchRoom("r"))
        #expect(try fixture.save(maker.snapshot(), of: "r").error == .noSuchRoom("r"))
        #expect(try fixture.compact("r", olderThan: 9).error == .noSuchRoom("r"))
        #expect(try fixture.delete("r").error == .noSuchRoom("r"))
    }

    @Test(arguments: StoreKind.allCases)
    func givesBackWhatWasAppended(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var maker = RoomMaker(seed: 2)
        for record in maker.next(20) { try fixture.append(record, to: "räum").get() }
        for _ in 0..<2 {
            #expect(
                try fixture.open("räum").get()
                    == StoredRoom(snapshot: nil, records: maker.records))
            try fixture.reopen()
        }
        try fixture.append(maker.next(), to: "räum").get()
        #expect(try fixture.open("räum").get()?.records == maker.records)
    }

    @Test(arguments: StoreKind.allCases)
    func keepsRecordsWithoutRevisionsOrBody(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let records = [(1, 1, 2), (2, 3, 2), (3, 3, 3)].map { sequence, first, last in
            LogRecord(
                sequence: UInt64(sequence), firstRevision: UInt64(first),
                lastRevision: UInt64(last), wallClockMilliseconds: 5, body: SharedBytes([]))
        }
        for record in records { try fixture.append(record, to: "r").get() }
        try fixture.reopen()
        #expect(try fixture.open("r").get()?.records == records)
        #expect(try fixture.rooms().get().map(\.revision) == [3])
    }

    @Test(arguments: StoreKind.allCases)
    func refusesWhatIsNotNext(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var maker = RoomMaker(seed: 3)
        let records = maker.next(3)
        let next = maker.next()
        for record in records { try fixture.append(record, to: "r").get() }
        var wrong = [records[2], next, next, next, next]
        wrong[1].sequence += 1
        wrong[2].firstRevision += 1
        wrong[3].lastRevision = next.firstRevision - 2
        wrong[4].wallClockMilliseconds = .max
        for record in wrong {
            guard case .conflict = try fixture.append(record, to: "r").error else {
                Issue.record("\(record.sequence) was not refused")
                continue
            }
        }
        guard case .conflict = try fixture.append(next, to: "new").error else {
            Issue.record("a room does not begin with record \(next.sequence)")
            return
        }
        #expect(try fixture.rooms().get().map(\.name) == ["r"])
        #expect(try fixture.open("r").get()?.records == records)
        try fixture.append(next, to: "r").get()
    }

    @Test(arguments: StoreKind.allCases)
    func commitsAllThatWaitsAtOnce(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var makers = (0..<50).map { RoomMaker(seed: $0) }
        let order = Monitor<[Int]>([])
        var number = 0
        for _ in 0..<4 {
            for room in makers.indices {
                let mine = number
                number += 1
                fixture.store.append(makers[room].next(), to: "room \(room)") { result in
                    #expect(result.error == nil)
                    order.withLock { $0.append(mine) }
                }
            }
        }
        #expect(order.withLock { $0 } == [], "nothing completes within the call")
        fixture.worker.runAll()
        #expect(order.withLock { $0 } == Array(0..<200))
        #expect(fixture.store.statistics.records == 200)
        #expect(fixture.store.statistics.commits == 1)
        try fixture.reopen()
        for room in makers.indices {
            #expect(try fixture.open("room \(room)").get()?.records == makers[room].records)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func refusesOneRecordOfAGroupAndKeepsTheOthers(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var makers = (0..<3).map { RoomMaker(seed: $0) }
        let answers = makers.indices.map { _ in Answer<Void>() }
        for room in makers.indices {
            var record = makers[room].next()
            if room == 1 { record.sequence = 2 }
            fixture.store.append(record, to: "\(room)", completion: answers[room].completion)
        }
        fixture.worker.runAll()
        #expect(answers.map { $0.value?.error == nil } == [true, false, true])
        try fixture.reopen()
        #expect(try fixture.rooms().get().map(\.name) == ["0", "2"])
    }

    @Test(arguments: StoreKind.allCases)
    func pagesThroughTheLog(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var maker = RoomMaker(seed: 4)
        for size in [10, 10, 500, 10, 90, 1, 0] {
            try fixture.append(maker.next(bodyBytes: size), to: "r").get()
        }
        var pages: [[UInt64]] = []
        var after: UInt64 = 0
        while true {
            let page = try fixture.readLog("r", after: after, limitBytes: 150).get()
            pages.append(page.records.map(\.sequence))
            after = page.records.last?.sequence ?? after
            if page.isLast { break }
        }
        #expect(pages == [[1, 2], [3], [4, 5], [6, 7]])
        #expect(try fixture.readLog("r", after: 3).get().records == Array(maker.records[3...]))
        let end = LogPage(records: [], isLast: true)
        #expect(try fixture.readLog("r", after: 7).get() == end)
        #expect(try fixture.readLog("r", after: .max).get() == end)
    }

    @Test(arguments: StoreKind.allCases)
    func takesCallsFromManyThreads(kind: StoreKind) throws {
        let folder = TemporaryFolder()
        let worker = ThreadWorker()
        let options = SQLiteOptions(syncMode: .relaxed)
        let store: WorkerStore =
            switch kind {
            case .memory: .memory(worker: worker)
            case .sqlite: try .sqlite(directory: folder.path, options: options, worker: worker)
            }
        let completed = Monitor(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            var maker = RoomMaker(seed: UInt64(thread))
            for index in 1...100 {
                store.append(maker.next(), to: "\(thread)") { result in
                    #expect(result.error == nil)
                    completed.withLock { $0 += 1 }
                }
                if index == 50 {
                    store.saveSnapshot(maker.snapshot(), of: "\(thread)") { result in
                        #expect(result.error == nil)
                        completed.withLock { $0 += 1 }
                    }
                }
            }
        }
        let answers = (0..<8).map { _ in Answer<StoredRoom?>() }
        for (thread, answer) in answers.enumerated() {
            store.open(room: "\(thread)", admitting: { _ in true }, completion: answer.completion)
        }
        store.finish()
        #expect(completed.withLock { $0 } == 8 * 101)
        for (thread, answer) in answers.enumerated() {
            var maker = RoomMaker(seed: UInt64(thread))
            for index in 1...100 {
                _ = maker.next()
                if index == 50 { _ = maker.snapshot() }
            }
            let room = try #require(try answer.value?.get())
            #expect(room.records == Array(maker.records.suffix(room.records.count)))
            #expect(room.records.last?.sequence == 100)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func finishesWhatWasAskedAndNothingMore(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var maker = RoomMaker(seed: 5)
        let first = Answer<Void>()
        let second = Answer<Void>()
        let saved = Answer<Void>()
        fixture.store.append(maker.next(), to: "r", completion: first.completion)
        fixture.store.saveSnapshot(
            maker.snapshot(bodyBytes: 3_000_000), of: "r", completion: saved.completion)
        fixture.store.finish()
        #expect(first.value?.error == nil && first.value != nil)
        #expect(saved.value?.error == nil && saved.value != nil)
        fixture.store.append(maker.next(), to: "r", completion: second.completion)
        #expect(second.value?.error == .closed)
        fixture.store.finish()
    }
}
