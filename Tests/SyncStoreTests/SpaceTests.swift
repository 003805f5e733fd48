import Glibc
import SeededRandom
import SyncBytes
import SyncModel
import Testing

@testable import SyncStore

/// How a store returns space, step by step.
@Suite struct SpaceTests {
    private func databaseBytes(_ folder: TemporaryFolder) -> Int {
        var status = stat()
        return stat("\(folder.path)/\(Files.database)", &status) == 0 ? Int(status.st_size) : 0
    }

    @Test func deletingARoomMakesTheFileShorter() throws {
        let fixture = try StoreFixture(.sqlite)
        var maker = RoomMaker(seed: 1)
        var other = RoomMaker(seed: 2)
        for record in other.next(5) { try fixture.append(record, to: "other").get() }
        for _ in 0..<24 { try fixture.append(maker.next(bodyBytes: 1 << 20), to: "r").get() }
        try fixture.save(maker.snapshot(bodyBytes: 4 << 20), of: "r").get()
        let used = fixture.store.usedBytes
        #expect(used > 24 << 20)
        #expect(databaseBytes(fixture.folder) > 20 << 20)
        try fixture.delete("r").get()
        #expect(fixture.store.usedBytes < 1 << 20)
        #expect(databaseBytes(fixture.folder) < 3 << 20)
        #expect(try fixture.open("other").get()?.records == other.records)
        fixture.store.finish()
        #expect(try verify(fixture.folder) == [])
    }

    /// The log can't start again while somebody reads, as a backup or a monitor does. So it counts,
    /// and what would make it longer than the store may be is refused until the reader has gone.
    @Test func theLogIsPartOfTheStore() throws {
        let limit: UInt64 = 3000
        let options = SQLiteOptions(syncMode: .relaxed, maximumPages: UInt32(limit))
        let fixture = try StoreFixture(.sqlite, options: options)
        var maker = RoomMaker(seed: 6)
        try fixture.append(maker.next(), to: "r").get()
        let reader = try SQLiteConnection(
            path: "\(fixture.folder.path)/\(Files.database)", access: .read)
        try reader.execute("BEGIN; SELECT count(*) FROM rooms")
        var failure: StoreError?
        var records = maker.records
        for _ in 0..<10_000 where failure == nil {
            failure = try fixture.append(maker.next(bodyBytes: 3000), to: "r").error
            if failure == nil { records = maker.records }
        }
        #expect(failure == .diskFull)
        let files = databaseBytes(fixture.folder) + logBytes(fixture.folder)
        #expect(files < Int(limit + 50) * 4096 + (1 << 20), "\(files)")
        #expect(Int(fixture.store.usedBytes) > files - (1 << 20))
        let next = try #require(maker.records.last)
        #expect(try fixture.append(next, to: "r").error == .diskFull)
        reader.close()
        try fixture.append(next, to: "r").get()
        #expect(fixture.store.usedBytes < 10 << 20)
        try fixture.reopen()
        #expect(try fixture.open("r").get()?.records == records + [next])
        fixture.store.finish()
        #expect(try verify(fixture.folder) == [])
    }

    private func logBytes(_ folder: TemporaryFolder) -> Int {
        var status = stat()
        return stat("\(folder.path)/\(Files.database)-wal", &status) == 0
            ? Int(status.st_size) : 0
    }

    @Test func compactingGoesByBytes() throws {
        let folder = TemporaryFolder()
        let storage = try SQLiteStorage(
            directory: folder.path, options: SQLiteOptions(syncMode: .relaxed))
        var maker = RoomMaker(seed: 3)
        for _ in 0..<40 {
            let append = PendingAppend(record: maker.next(bodyBytes: 400_000), room: "r")
            #expect(try storage.append([append]) == [nil])
        }
        let snapshot = maker.snapshot()
        while try !storage.saveSnapshot(snapshot, of: "r") {}
        var left = try #require(try storage.rooms().first).logBytes
        var steps = 0
        while try !storage.compact(room: "r", olderThanTrustedMilliseconds: maker.time + 1) {
            let now = try #require(try storage.rooms().first).logBytes
            #expect(left - now <= 1 << 20)
            left = now
            steps += 1
        }
        #expect(steps >= 16_000_000 >> 20)
        #expect(try storage.rooms().first?.logBytes == 0)
        storage.close()
        #expect(try verify(folder) == [])
    }

    @Test func theEndOfARoomGoesByBytesToo() throws {
        let folder = TemporaryFolder()
        let storage = try SQLiteStorage(
            directory: folder.path, options: SQLiteOptions(syncMode: .relaxed))
        var maker = RoomMaker(seed: 4)
        let append = PendingAppend(record: maker.next(), room: "r")
        #expect(try storage.append([append]) == [nil])
        var random = SplitMix64(seed: 5)
        var snapshot = maker.snapshot()
        snapshot.body = SharedBytes(
            (0..<(5 << 20)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        while try !storage.saveSnapshot(snapshot, of: "r") {}
        try storage.deleteRoom("r")
        var used = storage.databaseBytes
        while try !storage.sweep() {
            #expect(used <= storage.databaseBytes + 3 << 20)
            used = storage.databaseBytes
        }
        #expect(used < 1 << 20)
        storage.close()
        #expect(try verify(folder) == [])
    }

    /// A room's number is not used again while some of its rows are still to be removed, even after
    /// a restart.
    @Test func aRoomMadeBeforeTheEndOfAnotherKeepsItsRecords() throws {
        let folder = TemporaryFolder()
        var appends: [RoomName: PendingAppend] = [:]
        for (seed, name) in (["old", "newest", "another"] as [RoomName]).enumerated() {
            var maker = RoomMaker(seed: UInt64(seed))
            appends[name] = PendingAppend(record: maker.next(), room: name)
        }
        func reopened() throws -> SQLiteStorage {
            try SQLiteStorage(
                directory: folder.path, options: SQLiteOptions(syncMode: .relaxed))
        }
        var storage = try reopened()
        #expect(try storage.append(["old", "newest"].compactMap { appends[$0] }) == [nil, nil])
        try storage.deleteRoom("newest")
        storage.close()
        storage = try reopened()
        #expect(try storage.append(["another"].compactMap { appends[$0] }) == [nil])
        storage.close()
        storage = try reopened()
        while try !storage.sweep() {}
        for name in ["old", "another"] as [RoomName] {
            let record = try #require(appends[name]).record
            #expect(try storage.open(room: name) == StoredRoom(snapshot: nil, records: [record]))
        }
        storage.close()
        #expect(try verify(folder) == [])
    }

    @Test func nobodyButItsOwnerReadsWhatIsStored() throws {
        let folder = TemporaryFolder()
        for name in Files.ofStore {
            let path = "\(folder.path)/\(name)"
            // Files as an earlier version left them.
            Files.write([], to: path)
            #expect(chmod(path, 0o644) == 0)
        }
        let storage = try SQLiteStorage(directory: folder.path)
        var maker = RoomMaker(seed: 6)
        let append = PendingAppend(record: maker.next(), room: "r")
        #expect(try storage.append([append]) == [nil])
        for name in Files.ofStore + ["collsync.tail", "lock"] {
            var status = stat()
            #expect(stat("\(folder.path)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
        storage.close()
    }

    /// File systems in which even root can create no file.
    @Test(arguments: ["/proc", "/sys/kernel"])
    func aFolderThatCannotBeWrittenIsRefused(path: String) throws {
        var error: StoreError?
        do throws(StoreError) {
            _ = try SQLiteStorage(directory: path)
        } catch let found {
            error = found
        }
        guard case .notAStore(let sentence) = error else {
            Issue.record("it was opened")
            return
        }
        #expect(sentence.contains(path))
    }
}
