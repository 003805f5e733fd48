import SyncBytes
import SyncModel
import SyncStore
import Testing

/// What every store must do with snapshots, and with data to forget.
@Suite struct SnapshotConformanceTests {
    /// A room of 40 records with a snapshot after every tenth.
    private func makeRoom(
        in fixture: StoreFixture
    ) throws -> (maker: RoomMaker, snapshots: [StoredSnapshot]) {
        var maker = RoomMaker(seed: 10)
        var snapshots: [StoredSnapshot] = []
        for _ in 0..<4 {
            for record in maker.next(10) { try fixture.append(record, to: "r").get() }
            snapshots.append(maker.snapshot())
            try fixture.save(snapshots[snapshots.count - 1], of: "r").get()
        }
        return (maker, snapshots)
    }

    @Test(arguments: StoreKind.allCases)
    func opensFromTheNewestSnapshot(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var (maker, snapshots) = try makeRoom(in: fixture)
        #expect(
            try fixture.open("r").get() == StoredRoom(snapshot: snapshots.last, records: []))
        for record in maker.next(3) { try fixture.append(record, to: "r").get() }
        try fixture.reopen()
        #expect(
            try fixture.open("r").get()
                == StoredRoom(snapshot: snapshots.last, records: maker.records.suffix(3)))
    }

    @Test(arguments: StoreKind.allCases)
    func findsTheSnapshotForARevision(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let (maker, snapshots) = try makeRoom(in: fixture)
        for revision in 0...(maker.revision + 1) {
            let expected = snapshots.last { $0.revision <= revision }
            #expect(try fixture.readSnapshot("r", atOrBelow: revision).get() == expected)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func refusesSnapshotsThatAreNotOfTheLog(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let (_, snapshots) = try makeRoom(in: fixture)
        var wrong = [snapshots[3], snapshots[3], snapshots[3]]
        wrong[0].sequence = 41
        wrong[1].revision += 100
        wrong[2].sequence = 0
        for snapshot in wrong {
            guard case .conflict = try fixture.save(snapshot, of: "r").error else {
                Issue.record("\(snapshot.sequence) was not refused")
                continue
            }
        }
        // The stored snapshot stays.
        var again = snapshots[3]
        again.body = SharedBytes([1])
        try fixture.save(again, of: "r").get()
        #expect(try fixture.open("r").get()?.snapshot == snapshots[3])
    }

    @Test(arguments: StoreKind.allCases, [0, 1, (1 << 20) - 1, 1 << 20, 3_500_000])
    func keepsSnapshotsOfAnySize(kind: StoreKind, bodyBytes: Int) throws {
        let fixture = try StoreFixture(kind)
        var maker = RoomMaker(seed: 11)
        try fixture.append(maker.next(), to: "r").get()
        let snapshot = maker.snapshot(bodyBytes: bodyBytes)
        try fixture.save(snapshot, of: "r").get()
        try fixture.reopen()
        #expect(try fixture.open("r").get()?.snapshot == snapshot)
    }

    @Test(arguments: StoreKind.allCases)
    func thinsOutSnapshots(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var maker = RoomMaker(seed: 12)
        for _ in 0..<100 {
            for record in maker.next(2) { try fixture.append(record, to: "r").get() }
            try fixture.save(maker.snapshot(bodyBytes: 20), of: "r").get()
        }
        var kept: Set<UInt64> = []
        for revision in 0...maker.revision {
            let snapshot = try fixture.readSnapshot("r", atOrBelow: revision).get()
            if let snapshot { kept.insert(snapshot.sequence) }
        }
        #expect((10...SnapshotThinning.maximumCount).contains(kept.count))
        #expect(kept.contains(200) && kept.contains(198))
    }

    @Test(arguments: StoreKind.allCases)
    func forgetsWhatIsOlderThanTheCutoff(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var (maker, snapshots) = try makeRoom(in: fixture)
        // A time between the second snapshot and the third.
        let cutoff = snapshots[1].trustedMilliseconds + 1
        #expect(try fixture.oldestRevision("r").get() == 0)
        try fixture.compact("r", olderThan: cutoff).get()
        for _ in 0..<2 {
            #expect(try fixture.oldestRevision("r").get() == snapshots[1].revision)
            #expect(
                try fixture.readLog("r", after: 20).get()
                    == LogPage(records: Array(maker.records[20...]), isLast: true))
            let compacted = StoreError.compacted(room: "r", firstSequence: 21)
            #expect(try fixture.readLog("r", after: 19).error == compacted)
            #expect(
                try fixture.readSnapshot("r", atOrBelow: snapshots[1].revision).get()
                    == snapshots[1])
            #expect(
                try fixture.readSnapshot("r", atOrBelow: snapshots[1].revision - 1).error
                    == compacted)
            #expect(try fixture.open("r").get()?.snapshot == snapshots[3])
            let summary = try #require(try fixture.rooms().get().first)
            #expect(summary.recordCount == 20)
            #expect(
                summary.logBytes
                    == maker.records[20...].reduce(0) { $0 + UInt64($1.body.count) })
            try fixture.reopen()
        }
        try fixture.append(maker.next(), to: "r").get()
        guard case .conflict = try fixture.save(snapshots[0], of: "r").error else {
            Issue.record("a snapshot before the log was saved")
            return
        }
    }

    @Test(arguments: StoreKind.allCases)
    func forgetsNothingWithoutAnOldEnoughSnapshot(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let (maker, snapshots) = try makeRoom(in: fixture)
        try fixture.compact("r", olderThan: snapshots[0].trustedMilliseconds).get()
        #expect(try fixture.readLog("r", after: 0).get().records == maker.records)
    }

    @Test(arguments: StoreKind.allCases)
    func goesOnAfterAllRecordsAreForgotten(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var maker = RoomMaker(seed: 13)
        // More records than one step of compaction removes.
        for record in maker.next(1200) {
            fixture.store.append(record, to: "r") { _ in }
        }
        let snapshot = maker.snapshot()
        try fixture.save(snapshot, of: "r").get()
        try fixture.compact("r", olderThan: .max).get()
        try fixture.reopen()
        #expect(
            try fixture.open("r").get() == StoredRoom(snapshot: snapshot, records: []))
        let next = maker.next()
        try fixture.append(next, to: "r").get()
        try fixture.reopen()
        #expect(
            try fixture.open("r").get() == StoredRoom(snapshot: snapshot, records: [next]))
        #expect(try fixture.rooms().get().map(\.recordCount) == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func deletesARoomAndMakesItAgain(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var (maker, _) = try makeRoom(in: fixture)
        for record in maker.next(1000) { fixture.store.append(record, to: "r") { _ in } }
        var other = RoomMaker(seed: 14)
        try fixture.append(other.next(), to: "other").get()
        try fixture.delete("r").get()
        #expect(try fixture.open("r").get() == nil)
        #expect(try fixture.rooms().get().map(\.name) == ["other"])
        var again = RoomMaker(seed: 15)
        try fixture.append(again.next(), to: "r").get()
        for _ in 0..<2 {
            #expect(
                try fixture.open("r").get()
                    == StoredRoom(snapshot: nil, records: again.records))
            #expect(try fixture.open("other").get()?.records == other.records)
            try fixture.reopen()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func saysWhatRoomsThereAre(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var makers = (0..<300).map { RoomMaker(seed: $0) }
        for room in makers.indices {
            for record in makers[room].next(room % 3 + 1) {
                fixture.store.append(record, to: "room \(1000 + room)") { _ in }
            }
        }
        try fixture.save(makers[7].snapshot(bodyBytes: 50), of: "room 1007").get()
        try fixture.reopen()
        let summaries = try fixture.rooms().get()
        #expect(summaries.count == 300)
        for (room, summary) in summaries.enumerated() {
            let records = makers[room].records
            #expect(summary.name == "room \(1000 + room)")
            #expect(summary.revision == makers[room].revision)
            #expect(summary.recordCount == UInt64(records.count))
            #expect(summary.logBytes == records.reduce(0) { $0 + UInt64($1.body.count) })
            #expect((summary.snapshotBytes > 0) == (room == 7))
            #expect(summary.createdMilliseconds == 1010)
            #expect(summary.changedMilliseconds == makers[room].time)
        }
    }
}
