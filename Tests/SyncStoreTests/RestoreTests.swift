import Glibc
import SeededRandom
import SyncBytes
import SyncIO
import SyncModel
import Testing

@testable import SyncStore

/// A restored store has what the backup has, and nothing is restored by half.
@Suite struct RestoreTests {
    private static let now = ClockReading(steadyMilliseconds: 50, wallClockMilliseconds: 2000)
    private static let options = SQLiteOptions(syncMode: .relaxed)

    /// Ends each room with a record of one byte, or a copy with a snapshot of all bytes.
    private final class Ends: RoomRestorer {
        func finish(
            room: RoomName, _ stored: StoredRoom, isCopy: Bool
        ) throws(StoreError) -> RestoredEnd {
            let last = stored.records.last
            let sequence = last?.sequence ?? stored.snapshot?.sequence ?? 0
            let revision = last?.lastRevision ?? stored.snapshot?.revision ?? 0
            if isCopy {
                let body =
                    (stored.snapshot?.body.array ?? []) + stored.records.flatMap(\.body.array)
                return .image(
                    StoredSnapshot(
                        sequence: sequence, revision: revision, trustedMilliseconds: 1,
                        body: SharedBytes(body)))
            }
            return .record(
                LogRecord(
                    sequence: sequence + 1, firstRevision: revision + 1, lastRevision: revision,
                    wallClockMilliseconds: 99_999, body: SharedBytes([255])))
        }
    }

    /// Rooms whose clock jumps, each with its records.
    private func makeStore(
        in folder: TemporaryFolder, rooms: [RoomName], seed: UInt64, compacted: RoomName? = nil
    ) throws -> [RoomName: [LogRecord]] {
        let storage = try SQLiteStorage(directory: folder.path, options: Self.options)
        var random = SplitMix64(seed: seed)
        var records: [RoomName: [LogRecord]] = [:]
        for room in rooms {
            var maker = RoomMaker(seed: random.next())
            var ofRoom: [LogRecord] = []
            for step in 1...20 {
                var record = maker.next()
                record.wallClockMilliseconds = UInt64.random(in: 1000...1020, using: &random)
                ofRoom.append(record)
                #expect(try storage.append([PendingAppend(record: record, room: room)]) == [nil])
                guard step % 6 == 0 else { continue }
                let snapshot = ByteReplay.snapshot(after: ofRoom)
                while try !storage.saveSnapshot(snapshot, of: room) {}
                if step == 12, room == compacted {
                    while try !storage.compact(room: room, olderThanTrustedMilliseconds: .max) {}
                }
            }
            records[room] = ofRoom
        }
        storage.close()
        return records
    }

    private func restore(
        _ bytes: [UInt8], into path: String, _ options: RestoreOptions = RestoreOptions()
    ) throws -> RestoreSummary {
        var offset = 0
        return try StoreRestore.restore(
            into: path, options, at: Self.now, by: Ends(), checkedBy: ByteReplay(),
            willReplace: { () throws(StoreError) in }
        ) { memory throws(StoreError) in
            let count = min(memory.count, bytes.count - offset, 1000)
            memory.copyBytes(from: bytes[offset..<(offset + count)])
            offset += count
            return count
        }
    }

    /// All rooms of a store, with the numbers of their snapshots.
    private func contents(_ path: String) throws -> [RoomName: ([LogRecord], [UInt64])] {
        let storage = try SQLiteStorage(directory: path, options: Self.options)
        defer { storage.close() }
        var contents: [RoomName: ([LogRecord], [UInt64])] = [:]
        for room in storage.roomsByName.values {
            let first = room.state.firstSequence
            contents[room.state.name] = (
                try storage.readLog(room: room.state.name, after: first - 1, limitBytes: .max)
                    .records, try storage.rows.snapshotHeaders(of: room).map(\.sequence)
            )
        }
        return contents
    }

    private func withFolder(_ body: (TemporaryFolder, String) throws -> Void) throws {
        let (folder, parent) = (TemporaryFolder(), TemporaryFolder())
        let path = "\(parent.path)/new"
        try body(folder, path)
        for name in Files.ofStore + ["collsync.tail", "lock"] { unlink("\(path)/\(name)") }
        rmdir(path)
        #expect(rmdir(parent.path) == 0, "nothing else was left beside the folder")
    }

    @Test(arguments: 0..<4)
    func aNewStoreHasWhatTheBackupHas(seed: UInt64) throws {
        try withFolder { folder, path in
            let records = try makeStore(
                in: folder, rooms: ["a", "b", "c"], seed: seed, compacted: "b")
            let summary = try restore(try backUp(folder.path), into: path + "/")
            #expect(summary.rooms == 3 && summary.absent == [])
            let (old, new) = (try contents(folder.path), try contents(path))
            #expect(new.keys.sorted() == ["a", "b", "c"])
            for (name, room) in new {
                #expect(room.0.dropLast() == old[name]?.0[...])
                #expect(room.0.last?.body.array == [255])
                #expect(room.1 == old[name]?.1)
                #expect(room.0.dropLast().last == records[name]?.last)
            }
            var findings: [StoreFinding] = []
            let verified = try StoreVerifier.verify(directory: path, replay: ByteReplay()) {
                findings.append($0)
            }
            #expect(findings == [] && verified.tail == .reached)
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
        }
    }

    /// The time of another store says nothing here, so nothing is compacted too early.
    @Test func restoredSnapshotsCountAsTakenNow() throws {
        try withFolder { folder, path in
            _ = try makeStore(in: folder, rooms: ["a"], seed: 1)
            let backup = try backUp(folder.path)
            _ = try restore(backup, into: path)
            var options = RestoreOptions()
            (options.rooms, options.newName) = (["a"], "b")
            _ = try restore(backup, into: path, options)
            let storage = try SQLiteStorage(directory: path, options: Self.options)
            defer { storage.close() }
            #expect(storage.time.noted?.milliseconds == Self.now.wallClockMilliseconds)
            for room in storage.roomsByName.values {
                let times = try storage.rows.snapshotHeaders(of: room).map(\.trustedMilliseconds)
                #expect(!times.isEmpty && times.allSatisfy { $0 == 2000 })
            }
        }
    }

    /// The clock may jump: the last record that is not too late counts.
    @Test(arguments: 0..<4)
    func aTimeLeadsToTheLastRecordBeforeIt(seed: UInt64) throws {
        for time in [999, 1000, 1003, 1010, 1019, 1020] as [UInt64] {
            try withFolder { folder, path in
                let records = try makeStore(in: folder, rooms: ["a", "b"], seed: seed)
                var options = RestoreOptions()
                options.untilMilliseconds = time
                let summary = try restore(try backUp(folder.path), into: path, options)
                let new = try contents(path)
                for (name, all) in records {
                    let last = all.last { $0.wallClockMilliseconds <= time }?.sequence
                    let found = new[name]?.0.dropLast()
                    #expect(found.map(Array.init) == last.map { Array(all.prefix(Int($0))) })
                    #expect(new[name]?.1 == last.map { last in [6, 12, 18].filter { $0 <= last } })
                    #expect(summary.absent.contains(name) == (last == nil))
                }
                #expect(try verifyReplayed(path) == [])
            }
        }
    }

    private func verifyReplayed(_ path: String) throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        _ = try StoreVerifier.verify(directory: path, replay: ByteReplay()) { findings.append($0) }
        return findings
    }

    @Test func aTimeBeforeTheHistoryIsRefused() throws {
        try withFolder { folder, path in
            _ = try makeStore(in: folder, rooms: ["a"], seed: 1, compacted: "a")
            var options = RestoreOptions()
            options.untilMilliseconds = 999
            let bytes = try backUp(folder.path)
            #expect(throws: StoreError.compacted(room: "a", firstSequence: 13)) {
                try restore(bytes, into: path, options)
            }
            #expect(access(path, F_OK) != 0)
        }
    }

    @Test func aStoreGetsTheRoomsThatItLacks() throws {
        let (folder, other) = (TemporaryFolder(), TemporaryFolder())
        _ = try makeStore(in: folder, rooms: ["a", "b"], seed: 1)
        _ = try makeStore(in: other, rooms: ["b", "c"], seed: 2)
        let bytes = try backUp(folder.path)
        let before = try contents(other.path)
        #expect(throws: StoreError.roomExists("b")) { try restore(bytes, into: other.path) }
        var options = RestoreOptions()
        options.rooms = ["none"]
        #expect(throws: StoreError.noSuchRoom("none")) {
            try restore(bytes, into: other.path, options)
        }
        options.rooms = ["a", "none"]
        #expect(throws: StoreError.noSuchRoom("none")) {
            try restore(bytes, into: other.path, options)
        }
        #expect(try contents(other.path).mapValues(\.0) == before.mapValues(\.0))

        options.rooms = ["a"]
        #expect(try restore(bytes, into: other.path, options).rooms == 1)
        options.rooms = ["b"]
        options.newName = "copy"
        #expect(try restore(bytes, into: other.path, options).records == 0)
        let found = try contents(other.path)
        #expect(found.keys.sorted() == ["a", "b", "c", "copy"])
        #expect(found["b"]?.0 == before["b"]?.0)
        #expect(found["copy"]?.0 == [] && found["copy"]?.1 == [20])
        options.newName = nil
        options.replaces = true
        #expect(try restore(bytes, into: other.path, options).rooms == 1)
        #expect(try contents(other.path)["b"]?.0.dropLast() == contents(folder.path)["b"]?.0[...])
        #expect(try verifyReplayed(other.path) == [])
        // The store goes on.
        let storage = try SQLiteStorage(directory: other.path, options: Self.options)
        while try !storage.sweep() {}
        try storage.deleteRoom("copy")
        storage.close()
        #expect(try verifyReplayed(other.path) == [])
    }

    /// Wherever the stream ends or is wrong, there is the old store or no store.
    @Test func aBadStreamChangesNothing() throws {
        let other = TemporaryFolder()
        _ = try makeStore(in: other, rooms: ["b"], seed: 2)
        let before = try contents(other.path)
        try withFolder { folder, path in
            _ = try makeStore(in: folder, rooms: ["a", "b"], seed: 1)
            let bytes = try backUp(folder.path)
            var options = RestoreOptions()
            options.replaces = true
            for place in stride(from: 0, to: bytes.count, by: 211) {
                var changed = bytes
                changed[place] ^= 4
                for bad in [Array(bytes[..<place]), changed] {
                    for target in [path, other.path] {
                        let error = #expect(throws: StoreError.self) {
                            try restore(bad, into: target, options)
                        }
                        guard case .badCopy = error else {
                            Issue.record("\(place): \(String(describing: error))")
                            continue
                        }
                    }
                }
            }
            #expect(access(path, F_OK) != 0)
        }
        let after = try contents(other.path)
        #expect(after.mapValues(\.0) == before.mapValues(\.0))
        #expect(try verifyReplayed(other.path) == [])
    }

    /// Its checksums are right, but a snapshot is not what its records make.
    @Test func aStreamThatContradictsItselfIsRefused() throws {
        try withFolder { folder, path in
            let storage = try SQLiteStorage(directory: folder.path, options: Self.options)
            var maker = RoomMaker(seed: 1)
            for record in maker.next(3) {
                #expect(try storage.append([PendingAppend(record: record, room: "a")]) == [nil])
            }
            while try !storage.saveSnapshot(maker.snapshot(), of: "a") {}
            storage.close()
            let bytes = try backUp(folder.path)
            let error = #expect(throws: StoreError.self) { try restore(bytes, into: path) }
            #expect(error?.description.contains("the bytes differ") == true)
            #expect(access(path, F_OK) != 0)
        }
    }

    /// The file with revocations and the audit trail are no part of the store, also if they have
    /// the folder for themselves.
    @Test(arguments: ["revocations", "audit"]) func otherFilesStayAsTheyAre(name: String) throws {
        let (folder, other) = (TemporaryFolder(), TemporaryFolder())
        _ = try makeStore(in: folder, rooms: ["a"], seed: 1)
        let bytes = try backUp(folder.path)
        let path = "\(other.path)/\(name)"
        defer { unlink(path) }
        Files.write([0, 7, 255], to: path)
        var options = RestoreOptions()
        options.replaces = true
        let bad = Array(bytes.dropLast())
        #expect(throws: StoreError.badCopy("it is cut short")) {
            try restore(bad, into: other.path, options)
        }
        #expect(Files.read(path) == [0, 7, 255])
        for _ in 0..<2 {
            #expect(try restore(bytes, into: other.path, options).rooms == 1)
            #expect(Files.read(path) == [0, 7, 255])
            #expect(try verifyReplayed(other.path) == [])
        }
        #expect(try contents(other.path)["a"]?.0.count == 21)
    }

    /// As a process that was killed before it made the database leaves it.
    @Test func aFolderWithNothingButItsLockGetsAStore() throws {
        let (folder, other) = (TemporaryFolder(), TemporaryFolder())
        _ = try makeStore(in: folder, rooms: ["a"], seed: 1)
        Files.write([], to: "\(other.path)/lock")
        #expect(try restore(backUp(folder.path), into: other.path).rooms == 1)
        #expect(try verifyReplayed(other.path) == [])
    }

    /// The rows of rooms that were written last are behind. A killed server leaves them so.
    @Test func aRoomThatIsBehindIsReplaced() throws {
        let (folder, other) = (TemporaryFolder(), TemporaryFolder())
        _ = try makeStore(in: folder, rooms: ["a", "b"], seed: 1)
        let bytes = try backUp(folder.path)
        let storage = try SQLiteStorage(directory: folder.path, options: Self.options)
        let room = try storage.existing("a")
        let record = LogRecord(
            sequence: room.state.lastSequence + 1, firstRevision: room.state.lastRevision + 1,
            lastRevision: room.state.lastRevision + 1, wallClockMilliseconds: 9000,
            body: SharedBytes([1]))
        #expect(try storage.append([PendingAppend(record: record, room: "a")]) == [nil])
        for name in ["collsync.db", "collsync.db-wal", "collsync.tail"] {
            Files.write(
                try #require(Files.read("\(folder.path)/\(name)")), to: "\(other.path)/\(name)")
        }
        storage.close()
        var options = RestoreOptions()
        options.replaces = true
        #expect(try restore(bytes, into: other.path, options).rooms == 2)
        #expect(try verifyReplayed(other.path) == [])
        #expect(try contents(other.path)["a"]?.0.count == 21)
    }

    @Test func aStoreInUseAndAForeignFolderAreRefused() throws {
        let (folder, foreign) = (TemporaryFolder(), TemporaryFolder())
        _ = try makeStore(in: folder, rooms: ["a"], seed: 1)
        let bytes = try backUp(folder.path)
        let other = "\(foreign.path)/other"
        Files.write([1], to: other)
        defer { unlink(other) }
        let error = #expect(throws: StoreError.self) { try restore(bytes, into: foreign.path) }
        if case .notAStore = error {} else { Issue.record("\(String(describing: error))") }
        let storage = try SQLiteStorage(directory: folder.path, options: Self.options)
        defer { storage.close() }
        let locked = #expect(throws: StoreError.self) { try restore(bytes, into: folder.path) }
        if case .locked = locked {} else { Issue.record("\(String(describing: locked))") }
    }
}
