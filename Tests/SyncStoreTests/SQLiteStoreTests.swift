import Glibc
import SeededRandom
import SyncBytes
import SyncModel
import SyncStore
import Testing

/// What can happen only to the store on disk.
@Suite struct SQLiteStoreTests {
    private func openError(_ path: String) -> StoreError? {
        do throws(StoreError) {
            let store = try WorkerStore.sqlite(directory: path, worker: ManualWorker())
            store.finish()
            return nil
        } catch {
            return error
        }
    }

    /// Changes a number (big-endian, 4 bytes) in the file's header.
    private func patch(_ folder: TemporaryFolder, at offset: Int, _ value: UInt32) throws {
        let path = "\(folder.path)/\(Files.database)"
        var bytes = try #require(Files.read(path))
        withUnsafeBytes(of: value.bigEndian) { new in
            bytes.replaceSubrange(offset..<(offset + 4), with: new)
        }
        Files.write(bytes, to: path)
    }

    @Test func refusesAStoreOfANewerVersion() throws {
        let fixture = try StoreFixture(.sqlite)
        fixture.store.finish()
        #expect(openError(fixture.folder.path) == nil)
        try patch(fixture.folder, at: 60, 1000)
        #expect(openError(fixture.folder.path) == .newerVersion(found: 1000, supported: 5))
        #expect(throws: StoreError.newerVersion(found: 1000, supported: 5)) {
            try verify(fixture.folder)
        }
    }

    @Test func refusesAStoreOfAnOlderVersion() throws {
        let fixture = try StoreFixture(.sqlite)
        fixture.store.finish()
        try patch(fixture.folder, at: 60, 1)
        let expected = StoreError.olderVersion(found: 1, supported: 5)
        #expect(openError(fixture.folder.path) == expected)
        #expect(throws: expected) { try verify(fixture.folder) }
        #expect(expected.description.contains("version 1"))
    }

    /// Compressing such a snapshot saves next to nothing.
    @Test(arguments: [true, false])
    func compressesASnapshotUnlessItIsSmallBesideTheLog(isLogLong: Bool) throws {
        let fixture = try StoreFixture(.sqlite)
        var maker = RoomMaker(seed: 5)
        for _ in 0..<3 {
            fixture.store.append(maker.next(bodyBytes: isLogLong ? 150_000 : 50_000), to: "a") {
                _ in
            }
        }
        let snapshot = maker.snapshot(bodyBytes: 100_000)
        try fixture.save(snapshot, of: "a").get()
        try fixture.reopen()
        let stored = try #require(try fixture.rooms().get().first).snapshotBytes
        #expect(isLogLong ? (100_000...101_000).contains(stored) : stored < 50_000)
        let read = try #require(try fixture.open("a").get()?.snapshot)
        #expect(Array(read.body.bytes) == Array(snapshot.body.bytes))
    }

    @Test func refusesADatabaseOfAnotherProgram() throws {
        let fixture = try StoreFixture(.sqlite)
        fixture.store.finish()
        try patch(fixture.folder, at: 68, 7)
        guard case .notAStore = openError(fixture.folder.path) else {
            Issue.record("it was opened")
            return
        }
    }

    @Test func refusesAFolderInUseAndNamesTheProcess() throws {
        let fixture = try StoreFixture(.sqlite)
        guard case .locked(let sentence) = openError(fixture.folder.path) else {
            Issue.record("it was opened twice")
            return
        }
        #expect(sentence.contains("process \(getpid())"))
        #expect(throws: StoreError.locked(sentence)) { try verify(fixture.folder) }
        fixture.store.finish()
        #expect(openError(fixture.folder.path) == nil)
    }

    /// A copy of the descriptor stands for a process that is just starting.
    @Test func unlocksItsFolderWhoeverElseHasTheDescriptor() throws {
        let fixture = try StoreFixture(.sqlite)
        let lock = fixture.folder.path + "/lock"
        let descriptor = try #require(
            (0..<getdtablesize()).first { Files.linkTarget("/proc/self/fd/\($0)") == lock })
        let copy = dup(descriptor)
        #expect(copy >= 0)
        defer { close(copy) }
        fixture.store.finish()
        #expect(openError(fixture.folder.path) == nil)
    }

    @Test func makesItsFolderForItsOwnerOnly() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/data"
        #expect(openError(path) == nil)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        for name in Files.ofStore + ["collsync.tail", "lock"] { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    @Test func refusesWhatCannotBeAFolder() throws {
        let folder = TemporaryFolder()
        Files.write([1], to: "\(folder.path)/lock")
        for path in ["\(folder.path)/lock", "\(folder.path)/none/data", ""] {
            guard case .notAStore = openError(path) else {
                Issue.record("'\(path)' was opened")
                continue
            }
        }
    }

    @Test func verifyingMakesNothing() throws {
        let folder = TemporaryFolder()
        #expect(throws: StoreError.notAStore("there is no store in the folder '\(folder.path)'")) {
            try verify(folder)
        }
        #expect(Files.read("\(folder.path)/lock") == nil)
    }

    @Test func leavesAStoreItRefusesAsItIs() throws {
        let fixture = try StoreFixture(.sqlite)
        var maker = RoomMaker(seed: 5)
        for record in maker.next(2) { try fixture.append(record, to: "r").get() }
        let crashed = TemporaryFolder()
        Files.copyStore(from: fixture.folder.path, to: crashed.path)
        let path = "\(crashed.path)/\(Files.writeAheadLog)"
        var log = try #require(Files.read(path))
        log[32 + 24 + 100] ^= 1
        Files.write(log, to: path)
        #expect(
            openError(crashed.path)
                == .corrupt(room: nil, what: "frame 0 of the write-ahead log"))
        #expect(Files.read(path) == log)
    }

    /// A store that writes the room's row with each record writes two pages.
    @Test func aSmallCommitIsHardlyMoreThanAPage() throws {
        let fixture = try StoreFixture(.sqlite)
        var maker = RoomMaker(seed: 1)
        let path = "\(fixture.folder.path)/\(Files.writeAheadLog)"
        try fixture.append(maker.next(), to: "r").get()
        let before = try #require(Files.read(path)).count
        for record in maker.next(100) { try fixture.append(record, to: "r").get() }
        let pages = (try #require(Files.read(path)).count - before) / 4120
        #expect((100..<120).contains(pages))
    }

    @Test func opensAfterACrash() throws {
        let fixture = try StoreFixture(.sqlite)
        var maker = RoomMaker(seed: 1)
        for record in maker.next(30) { try fixture.append(record, to: "r").get() }
        // Half of a snapshot is written, too.
        fixture.store.saveSnapshot(maker.snapshot(bodyBytes: 3 << 20), of: "r") { _ in }
        fixture.worker.runOne()
        let crashed = TemporaryFolder()
        Files.copyStore(from: fixture.folder.path, to: crashed.path)
        #expect(try verify(crashed) == [])
        for _ in 0..<2 {
            let worker = ManualWorker()
            let store = try WorkerStore.sqlite(directory: crashed.path, worker: worker)
            let answer = Answer<StoredRoom?>()
            store.open(room: "r", admitting: { _ in true }, completion: answer.completion)
            store.finish()
            #expect(
                try answer.value?.get() == StoredRoom(snapshot: nil, records: maker.records))
        }
        #expect(try verify(crashed) == [])
    }

    @Test func goesOnWhenThereIsRoomAgain() throws {
        let options = SQLiteOptions(syncMode: .relaxed, maximumPages: 60)
        let fixture = try StoreFixture(.sqlite, options: options)
        let rooms: [RoomName] = ["a", "b"]
        var makers = [RoomMaker(seed: 1), RoomMaker(seed: 2)]
        var kept: [RoomName: [LogRecord]] = [:]
        var failure: StoreError?
        while failure == nil {
            let answers = [Answer<Void>(), Answer<Void>()]
            for room in 0..<2 {
                let record = makers[room].next(bodyBytes: 3000)
                let completion = answers[room].completion
                fixture.store.append(record, to: rooms[room], completion: completion)
            }
            fixture.worker.runAll()
            failure = answers[0].value?.error
            #expect(answers[1].value?.error == failure, "a group fails whole")
            if failure == nil {
                for room in 0..<2 { kept[rooms[room]] = makers[room].records }
            }
        }
        #expect(failure == .diskFull)
        #expect(try fixture.append(RoomMaker.large, to: "c").error == .diskFull)
        for (room, records) in kept {
            #expect(try fixture.open(room).get()?.records == records)
        }
        try fixture.delete("a").get()
        let next = try #require(makers[1].records.last)
        try fixture.append(next, to: "b").get()
        try fixture.reopen()
        #expect(try fixture.open("b").get()?.records == (kept["b"] ?? []) + [next])
        #expect(try fixture.rooms().get().map(\.name) == ["b"])
        fixture.store.finish()
        #expect(try verify(fixture.folder) == [])
    }

    @Test func aSnapshotThatFindsNoRoomLeavesNothing() throws {
        let options = SQLiteOptions(syncMode: .relaxed, maximumPages: 500)
        let fixture = try StoreFixture(.sqlite, options: options)
        var maker = RoomMaker(seed: 3)
        try fixture.append(maker.next(), to: "r").get()
        var random = SplitMix64(seed: 4)
        var snapshot = maker.snapshot()
        snapshot.body = SharedBytes(
            (0..<3_000_000).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        #expect(try fixture.save(snapshot, of: "r").error == .diskFull)
        #expect(try fixture.open("r").get()?.snapshot == nil)
        // The next call that sweeps returns the space.
        try fixture.reopen()
        for _ in 0..<100 { try fixture.append(maker.next(bodyBytes: 10_000), to: "r").get() }
        fixture.store.finish()
        #expect(try verify(fixture.folder) == [])
    }
}

extension RoomMaker {
    /// A first record that needs many pages.
    fileprivate static var large: LogRecord {
        var maker = RoomMaker(seed: 9)
        return maker.next(bodyBytes: 1_000_000)
    }
}
