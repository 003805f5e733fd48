import Foundation
import SyncBytes
import SyncIO
import SyncModel
import Testing

@testable import SyncStore

/// After a purge no file of a store has a byte of what was there before.
@Suite struct PurgeTests {
    private static let now = ClockReading(steadyMilliseconds: 50, wallClockMilliseconds: 5000)
    private static let marker = Array("what nobody may read any more".utf8)

    /// How often the marker is in the files of a store.
    private func count(_ folder: TemporaryFolder) -> Int {
        (Files.ofStore + ["collsync.tail", "lock"]).reduce(0) { sum, name in
            let data = Data(Files.read("\(folder.path)/\(name)") ?? [])
            var (count, rest) = (0, data.startIndex..<data.endIndex)
            while let found = data.range(of: Data(Self.marker), in: rest) {
                count += 1
                rest = found.upperBound..<data.endIndex
            }
            return sum + count
        }
    }

    private func body(_ copies: Int) -> SharedBytes {
        SharedBytes(Array([[UInt8]](repeating: Self.marker, count: copies).joined()))
    }

    /// The content is in the log, in snapshots, in one that was not saved to its end, in rooms that
    /// were deleted, and in pages that are free already.
    private func makeStore(in folder: TemporaryFolder) throws {
        let storage = try SQLiteStorage(directory: folder.path)
        for room in ["r", "deleted", "compacted", "other"] as [RoomName] {
            var maker = RoomMaker(seed: 1)
            for step in 1...30 {
                var record = maker.next()
                if room != "other" { record.body = body(900) }
                #expect(try storage.append([PendingAppend(record: record, room: room)]) == [nil])
                guard step % 10 == 0, room != "other" else { continue }
                var snapshot = maker.snapshot()
                snapshot.body = body(1000)
                while try !storage.saveSnapshot(snapshot, of: room) {}
            }
        }
        while try !storage.compact(room: "compacted", olderThanTrustedMilliseconds: .max) {}
        try storage.deleteRoom("deleted")
        try storage.deleteRoom("compacted")
        var maker = RoomMaker(seed: 1)
        _ = maker.next(29)
        var snapshot = maker.snapshot()
        snapshot.body = body(100_000)
        #expect(try !storage.saveSnapshot(snapshot, of: "r"), "the process ends in the middle")
        storage.close()
    }

    @Test func nothingIsLeft() throws {
        let folder = TemporaryFolder()
        try makeStore(in: folder)
        #expect(count(folder) > 10_000)
        let other = try open("other", in: folder)
        let number = TailFile.read(path: "\(folder.path)/collsync.tail")
        try StorePurge.purge(directory: folder.path, room: "r", at: Self.now) {
            stored throws(StoreError) in
            let last = stored.records.last?.lastRevision ?? stored.snapshot?.revision ?? 0
            return StoredSnapshot(
                sequence: 31, revision: last,
                trustedMilliseconds: 0, body: SharedBytes([1, 2, 3]))
        }
        #expect(count(folder) == 0)
        #expect(try verify(folder) == [])
        #expect(try open("other", in: folder) == other)
        let room = try open("r", in: folder)
        #expect(room?.records == [] && room?.snapshot?.body.array == [1, 2, 3])
        // The store has noted no time, so the newest record says how late it is at least.
        #expect(room?.snapshot?.trustedMilliseconds == 1300)
        let now = TailFile.read(path: "\(folder.path)/collsync.tail")
        if case .number(let before) = number, case .number(let after) = now {
            #expect(after > before)
        } else {
            Issue.record("\(number), \(now)")
        }
        let storage = try SQLiteStorage(directory: folder.path)
        #expect(try storage.connection.integer("PRAGMA freelist_count") == 0)
        var next = RoomMaker(seed: 3).first
        next.sequence = 32
        next.firstRevision = (room?.snapshot?.revision ?? 0) + 1
        next.lastRevision = next.firstRevision
        #expect(try storage.append([PendingAppend(record: next, room: "r")]) == [nil])
        storage.close()
        #expect(try verify(folder) == [])
    }

    private func open(_ room: RoomName, in folder: TemporaryFolder) throws -> StoredRoom? {
        let storage = try SQLiteStorage(directory: folder.path)
        defer { storage.close() }
        return try storage.open(room: room)
    }

    @Test func onlyAStoreWithTheRoomIsPurged() throws {
        let folder = TemporaryFolder()
        #expect(throws: StoreError.self) {
            try StorePurge.purge(directory: folder.path, room: "r", at: Self.now) { _ in
                StoredSnapshot(
                    sequence: 1, revision: 1, trustedMilliseconds: 0, body: SharedBytes([]))
            }
        }
        #expect(Files.read("\(folder.path)/collsync.db") == nil)
        try SQLiteStorage(directory: folder.path).close()
        #expect(throws: StoreError.noSuchRoom("r")) {
            try StorePurge.purge(directory: folder.path, room: "r", at: Self.now) { _ in
                StoredSnapshot(
                    sequence: 1, revision: 1, trustedMilliseconds: 0, body: SharedBytes([]))
            }
        }
    }
}

extension RoomMaker {
    fileprivate var first: LogRecord {
        var maker = self
        return maker.next()
    }
}
