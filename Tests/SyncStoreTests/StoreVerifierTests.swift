import SyncBytes
import SyncModel
import SyncStore
import Testing

@Suite struct StoreVerifierTests {
    /// A store with a room of twenty records and snapshots after 5 and 15.
    private func makeStore(wrongSnapshot: Bool = false) throws -> (StoreFixture, [LogRecord]) {
        let fixture = try StoreFixture(.sqlite)
        var maker = RoomMaker(seed: 1)
        for index in 1...20 {
            // The body can be found in the file.
            try fixture.append(maker.next(bodyBytes: 100), to: "r").get()
            if index == 5 || index == 15 {
                var snapshot = ByteReplay.snapshot(after: maker.records)
                if wrongSnapshot, index == 15 { snapshot.body = SharedBytes([1, 2, 3]) }
                try fixture.save(snapshot, of: "r").get()
            }
        }
        return (fixture, maker.records)
    }

    @Test func findsNothingInAGoodStore() throws {
        let (fixture, _) = try makeStore()
        fixture.store.finish()
        let replay = ByteReplay()
        var summary: StoreVerifier.Summary?
        #expect(try verify(fixture.folder, replay: replay) == [])
        summary = try StoreVerifier.verify(directory: fixture.folder.path, replay: nil) { _ in }
        #expect(summary?.rooms == 1)
        #expect(summary?.records == 20)
        #expect(summary?.snapshots == 2)
        let applied = { (range: ClosedRange<Int>) in range.map { "apply \($0)" } }
        #expect(
            replay.calls
                == ["begin r 0"] + applied(1...5) + ["compare 5"] + applied(6...15)
                + ["compare 15"] + applied(16...20))
    }

    @Test func replaysACompactedRoomFromItsBase() throws {
        let (fixture, records) = try makeStore()
        let cutoff = records[4].wallClockMilliseconds + 1
        try fixture.compact("r", olderThan: cutoff).get()
        fixture.store.finish()
        let replay = ByteReplay()
        #expect(try verify(fixture.folder, replay: replay) == [])
        #expect(replay.calls.first == "begin r 5")
        #expect(replay.calls.contains("compare 15"))
    }

    @Test func reportsASnapshotThatDiffersFromItsReplay() throws {
        let (fixture, _) = try makeStore(wrongSnapshot: true)
        fixture.store.finish()
        let findings = try verify(fixture.folder, replay: ByteReplay())
        #expect(
            findings.map(\.description) == [
                "room 'r': the snapshot after record 15 is not its replay: the bytes differ"
            ])
        #expect(try verify(fixture.folder) == [], "without a replay bodies are opaque")
    }

    @Test func reportsADamagedRecordAndGoesOnBehindIt() throws {
        let (fixture, records) = try makeStore()
        fixture.store.finish()
        let path = "\(fixture.folder.path)/\(Files.database)"
        var bytes = try #require(Files.read(path))
        let body = records[7].body.array
        let place = try #require(
            bytes.indices.dropLast(body.count).first {
                bytes[$0] == body[0] && bytes[$0..<($0 + body.count)].elementsEqual(body)
            })
        bytes[place + 50] ^= 1
        Files.write(bytes, to: path)
        let replay = ByteReplay()
        let findings = try verify(fixture.folder, replay: replay).map(\.description)
        #expect(findings.first == "room 'r': record 8 is damaged")
        #expect(replay.calls.suffix(6) == ["begin r 15"] + (16...20).map { "apply \($0)" })
        try fixture.reopen()
        let error = StoreError.corrupt(room: "r", what: "record 8")
        #expect(try fixture.readLog("r", after: 0).error == error)
        #expect(try fixture.readLog("r", after: 8).get().records == Array(records[8...]))
    }
}
