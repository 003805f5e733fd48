import Foundation
import Glibc
import SeededRandom
import StoreSupport
import SyncBytes
import SyncModel
import Testing

@testable import SyncStore

/// A backup has exactly what the store had at one moment, and any change of it is found.
@Suite struct BackupTests {
    private static let options = SQLiteOptions(syncMode: .relaxed)

    private func append(_ record: LogRecord, _ room: RoomName, in storage: SQLiteStorage) throws {
        let append = PendingAppend(record: record, room: room)
        #expect(try storage.append([append]) == [nil])
    }

    /// Two rooms, one of which has lost its oldest log.
    private func fill(_ storage: SQLiteStorage, recordBytes: Int? = nil) throws {
        for (index, room) in (["a", "b"] as [RoomName]).enumerated() {
            var maker = RoomMaker(seed: UInt64(index))
            for step in 1...12 {
                try append(maker.next(bodyBytes: recordBytes), room, in: storage)
                guard step % 4 == 0 else { continue }
                let snapshot = maker.snapshot(bodyBytes: step == 8 ? (2 << 20) + 5 : 40)
                while try !storage.saveSnapshot(snapshot, of: room) {}
            }
        }
        let cutoff = RoomMaker(seed: 0).time + 45
        while try !storage.compact(room: "a", olderThanTrustedMilliseconds: cutoff) {}
        #expect(storage.roomsByName["a"]?.state.firstSequence == 5)
    }

    private func expectEqual(
        _ contents: BackupContents, _ storage: SQLiteStorage, rooms: [RoomName] = ["a", "b"]
    ) throws {
        #expect(contents.rooms.map(\.state.name) == rooms)
        for room in contents.rooms {
            let stored = try storage.existing(room.state.name)
            #expect(room.state == stored.state)
            #expect(room.snapshots.map(\.header) == (try storage.rows.snapshotHeaders(of: stored)))
            let first = stored.state.firstSequence
            #expect(
                room.records
                    == (try storage.readLog(
                        room: room.state.name, after: first - 1, limitBytes: .max
                    ).records))
            for snapshot in room.snapshots {
                #expect(snapshot.parts.count == (snapshot.header.size > 100 ? 3 : 1))
            }
        }
    }

    @Test func itHasAllOfTheStore() throws {
        let folder = TemporaryFolder()
        let storage = try SQLiteStorage(directory: folder.path, options: Self.options)
        try fill(storage)
        for step in [1, 1000, .max] {
            try expectEqual(BackupContents(reading: try backUp(folder.path), step: step), storage)
        }
        let one = try BackupContents(reading: try backUp(folder.path, rooms: ["b", "b"]))
        try expectEqual(one, storage, rooms: ["b"])
        #expect(throws: StoreError.noSuchRoom("c")) { try backUp(folder.path, rooms: ["b", "c"]) }
        storage.close()
        let stopped = try backUp(folder.path)
        let again = try SQLiteStorage(directory: folder.path, options: Self.options)
        try expectEqual(BackupContents(reading: stopped), again)
        again.close()
    }

    /// Between any two blocks of the stream the server writes, deletes and compacts.
    @Test func itShowsOneMoment() throws {
        let folder = TemporaryFolder()
        let storage = try SQLiteStorage(directory: folder.path, options: Self.options)
        try fill(storage, recordBytes: 200_000)
        let before = try backUp(folder.path)
        var makers: [RoomName: RoomMaker] = [:]
        var steps = 0
        let during = try backUp(folder.path) {
            steps += 1
            if storage.roomsByName["b"] != nil { try storage.deleteRoom("b") }
            _ = try storage.sweep()
            let room: RoomName = "new \(steps % 3)"
            let record = makers[room, default: RoomMaker(seed: 9)].next(bodyBytes: 30_000)
            try append(record, room, in: storage)
            while try !storage.compact(room: "a", olderThanTrustedMilliseconds: .max) {}
        }
        #expect(steps > 10)
        #expect(during == before)
        let after = try BackupContents(reading: try backUp(folder.path))
        #expect(after.rooms.map(\.state.name) == ["a", "new 0", "new 1", "new 2"])
        storage.close()
        #expect(try verify(folder) == [])
    }

    /// The transaction ends, so that the log can start again.
    @Test func itIsGivenUpIfTheLogGrowsTooMuch() throws {
        let folder = TemporaryFolder()
        let storage = try SQLiteStorage(directory: folder.path, options: Self.options)
        try fill(storage, recordBytes: 200_000)
        storage.connection.checkpoint()
        let limit: UInt64 = 20 << 20
        var maker = RoomMaker(seed: 3)
        func log() -> UInt64 {
            var status = stat()
            return stat("\(folder.path)/collsync.db-wal", &status) == 0 ? UInt64(status.st_size) : 0
        }
        var largest: UInt64 = 0
        let error = #expect(throws: StoreError.self) {
            _ = try backUp(folder.path, maximumLogBytes: limit) {
                for _ in 0..<4 { try append(maker.next(bodyBytes: 1 << 20), "x", in: storage) }
                largest = max(largest, log())
            }
        }
        guard case .locked(let what) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(what.contains("\(limit)"))
        // One step of the test beyond it.
        #expect(largest > limit && largest < limit + (5 << 20))
        for _ in 0..<8 { try append(maker.next(bodyBytes: 1 << 20), "x", in: storage) }
        #expect(log() < limit)
        storage.close()
    }

    @Test(arguments: 0..<4)
    func everyCutAndEveryChangeIsFound(seed: UInt64) throws {
        let folder = TemporaryFolder()
        let storage = try SQLiteStorage(directory: folder.path, options: Self.options)
        var random = SplitMix64(seed: seed)
        for room in ["a", "b"] as [RoomName] {
            var maker = RoomMaker(seed: seed)
            for step in 1...3 {
                try append(maker.next(bodyBytes: 20), room, in: storage)
                if step == 2 {
                    while try !storage.saveSnapshot(maker.snapshot(bodyBytes: 60), of: room) {}
                }
            }
        }
        storage.close()
        let whole = try backUp(folder.path)
        func isFound(_ bytes: [UInt8]) -> Bool {
            do throws(StoreError) {
                _ = try BackupContents(reading: bytes)
                return false
            } catch {
                if case .badCopy = error { return true }
                return false
            }
        }
        #expect(!isFound(whole))
        for count in whole.indices { #expect(isFound(Array(whole[..<count])), "\(count)") }
        for place in whole.indices {
            var bytes = whole
            bytes[place] ^= UInt8.random(in: 1...255, using: &random)
            #expect(isFound(bytes), "\(place)")
        }
        #expect(isFound(whole + [0]))
        // Two pieces change places, or one is left out, with all bytes intact.
        let pieces = Self.pieces(of: whole)
        for index in 1..<(pieces.count - 1) {
            var moved = pieces
            moved.swapAt(index, Int.random(in: 0..<index, using: &random))
            if moved != pieces { #expect(isFound(Array(whole[..<8]) + moved.joined())) }
            var fewer = pieces
            fewer.remove(at: index)
            #expect(isFound(Array(whole[..<8]) + fewer.joined()))
        }
    }

    /// The rooms differ only in the bodies of records, so each piece fits into the other copy.
    @Test func aPieceOfAnotherBackupIsFound() throws {
        let copies = try [[UInt8](repeating: 1, count: 20), [UInt8](repeating: 2, count: 20)].map {
            body in
            let folder = TemporaryFolder()
            let storage = try SQLiteStorage(directory: folder.path, options: Self.options)
            var maker = RoomMaker(seed: 1)
            for _ in 0..<4 {
                var record = maker.next()
                record.body = SharedBytes(body)
                try append(record, "a", in: storage)
            }
            storage.close()
            return Self.pieces(of: try backUp(folder.path))
        }
        let mark = Array("csbackup".utf8)
        var changed = 0
        for index in copies[0].indices where copies[0][index].count == copies[1][index].count {
            var mixed = copies[0]
            mixed[index] = copies[1][index]
            // The header has no piece before it.
            guard mixed != copies[0], index > 0 else { continue }
            changed += 1
            #expect(throws: StoreError.badCopy("a piece is damaged")) {
                try BackupContents(reading: mark + mixed.joined())
            }
        }
        #expect(changed >= 4)
    }

    private static func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var offset = 8
        while offset < bytes.count {
            let length = (0..<8).reduce(0) { $0 | Int(bytes[offset + 1 + $1]) << (8 * $1) }
            pieces.append(Array(bytes[offset..<(offset + 13 + length)]))
            offset += 13 + length
        }
        return pieces
    }

    /// Whatever length a stream claims, so much memory is only used if so many bytes come.
    @Test func aLengthThatIsNotThereCostsNoMemory() throws {
        var writer = ByteWriter(capacity: 64)
        writer.write(contentsOf: Array("csbackup".utf8))
        writer.write(byte: 5)
        writer.write(fixed64: UInt64(LogState.maximumBodyBytes))
        writer.write(fixed32: 0)
        writer.write(contentsOf: [UInt8](repeating: 1, count: 100))
        var asked = 0
        let bytes = writer.makeArray()
        var offset = 0
        var reader = BackupReader { memory in
            asked += memory.count
            let count = min(memory.count, bytes.count - offset)
            memory.copyBytes(from: bytes[offset..<(offset + count)])
            offset += count
            return count
        }
        #expect(throws: StoreError.badCopy("it is cut short")) { try reader.next { _ in } }
        #expect(asked < 1 << 18)
    }

    @Test func aFileIsReplacedWhenItIsWhole() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/lock"
        func write(_ bytes: [UInt8], _ file: CopyFile) throws {
            try bytes.withUnsafeBytes { try file.write($0) }
        }
        Files.write([1], to: path)
        do {
            let file = try CopyFile(replacing: path)
            try write([2, 2], file)
            #expect(Files.read(path) == [1])
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names == ["lock"], "it has no name that a killed program would leave")
        }
        let file = try CopyFile(replacing: path)
        try write([3, 3, 3], file)
        try file.finish()
        #expect(Files.read(path) == [3, 3, 3])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        unlink(path)
        #expect(rmdir(folder.path) == 0, "nothing else is left")
        #expect(throws: StoreError.self) { try CopyFile(replacing: "/dev/null") }
        #expect(throws: StoreError.self) { try CopyFile(replacing: "\(folder.path)/none/x") }
    }
}
