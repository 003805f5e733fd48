import Glibc
import SyncAccess
import SyncBytes
import SyncIO
import SyncModel
import Testing

@testable import SyncStore

/// A backup has the revocations that are beside its store, and a restoration adds those that are
/// missing.
@Suite struct CopiedRevocationsTests {
    private static let ann = "2026-01-31T12:34:56Z user ann\n"
    private static let token = "2026-01-30T00:00:00Z token t\n"

    /// Ends each room with a record of one byte.
    private final class Ends: RoomRestorer {
        func finish(
            room: RoomName, _ stored: StoredRoom, isCopy: Bool
        ) throws(StoreError) -> RestoredEnd {
            let last = stored.records.last
            return .record(
                LogRecord(
                    sequence: (last?.sequence ?? 0) + 1,
                    firstRevision: (last?.lastRevision ?? 0) + 1,
                    lastRevision: last?.lastRevision ?? 0, wallClockMilliseconds: 9,
                    body: SharedBytes([1])))
        }
    }

    /// A store with one room, and a file with revocations.
    private func makeStore(_ revocations: String) throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        let storage = try SQLiteStorage(directory: folder.path)
        var maker = RoomMaker(seed: 1)
        for record in maker.next(3) {
            #expect(try storage.append([PendingAppend(record: record, room: "a")]) == [nil])
        }
        storage.close()
        Files.write(Array(revocations.utf8), to: "\(folder.path)/revocations")
        return folder
    }

    private func makeBackup(_ revocations: String) throws -> [UInt8] {
        let folder = try makeStore(revocations)
        return try withExtendedLifetime(folder) { try backUp(folder.path) }
    }

    private func restore(
        _ bytes: [UInt8], into path: String, _ options: RestoreOptions = RestoreOptions()
    ) throws -> RestoreSummary {
        var offset = 0
        return try StoreRestore.restore(
            into: path, options, at: ClockReading(steadyMilliseconds: 5, wallClockMilliseconds: 20),
            by: Ends(), checkedBy: ByteReplay(), willReplace: { () throws(StoreError) in }
        ) { memory throws(StoreError) in
            let count = min(memory.count, bytes.count - offset)
            memory.copyBytes(from: bytes[offset..<(offset + count)])
            offset += count
            return count
        }
    }

    private func revocations(_ folder: String) -> String? {
        Files.read("\(folder)/revocations").map { String(decoding: $0, as: UTF8.self) }
    }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status.st_mode & 0o777
    }

    /// Lines that mean nothing to a server are left out.
    @Test func aNewFolderGetsThemAll() throws {
        let folder = try makeStore(
            "# by hand\n\(Self.ann)nonsense\n\(Self.ann)\(Self.token)2026-01-31T12:34:56Z user b")
        let parent = TemporaryFolder()
        let path = "\(parent.path)/new"
        defer {
            for name in Files.ofStore + ["collsync.tail", "lock", "revocations"] {
                unlink("\(path)/\(name)")
            }
            rmdir(path)
        }
        let summary = try restore(backUp(folder.path, rooms: ["a"]), into: path)
        #expect(summary.rooms == 1 && summary.revocations == 2)
        #expect(revocations(path) == Self.ann + Self.token)
        #expect(try mode("\(path)/revocations") == 0o600)
    }

    /// What is in the file stays, also what is no revocation.
    @Test func aFolderGetsThoseThatItLacks() throws {
        let bytes = try makeBackup(Self.ann + Self.token)
        let later = "# mine\n2026-02-01T00:00:00Z user ann\n2026-02-01T00:00:00Z key k"
        let other = try makeStore(later)
        chmod("\(other.path)/revocations", 0o640)
        var options = RestoreOptions()
        (options.rooms, options.newName) = (["a"], "b")
        #expect(try restore(bytes, into: other.path, options).revocations == 1)
        #expect(revocations(other.path) == "\(later)\n\(Self.token)")
        #expect(try mode("\(other.path)/revocations") == 0o640)
        options.newName = "c"
        #expect(try restore(bytes, into: other.path, options).revocations == 0)
        #expect(revocations(other.path) == "\(later)\n\(Self.token)")
        // Another file, by a link that stays.
        let link = "\(other.path)/link"
        defer { unlink(link) }
        try #require(symlink("revocations", link) == 0)
        Files.write(Array(Self.token.utf8), to: "\(other.path)/revocations")
        (options.newName, options.revocations) = ("d", link)
        #expect(try restore(bytes, into: other.path, options).revocations == 1)
        #expect(revocations(other.path) == Self.token + Self.ann)
        var status = stat()
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }

    /// A stream without revocations is one that earlier programs can read.
    @Test func aBackupWithoutThemChangesNoFile() throws {
        let bytes = try makeBackup("# none\n")
        #expect(bytes[21] == 1)
        #expect(try makeBackup(Self.token)[21] == 2)
        let other = try makeStore(Self.ann)
        var options = RestoreOptions()
        options.replaces = true
        #expect(try restore(bytes, into: other.path, options).revocations == 0)
        #expect(revocations(other.path) == Self.ann)
    }

    /// The checksums of these streams are right.
    @Test(arguments: [
        "nonsense\n", ann + "nonsense\n", ann + ann, "# mine\n" + ann, ann + "\n",
        ann + token + "x",
    ])
    func wrongLinesAreRefused(lines: String) throws {
        var bytes: [UInt8] = []
        var writer = BackupWriter { block throws(StoreError) in bytes += block }
        try writer.begin(timeMilliseconds: 7, revocations: Array(lines.utf8))
        try writer.end()
        let other = try makeStore(Self.token)
        let error = #expect(throws: StoreError.self) { try restore(bytes, into: other.path) }
        guard case .badCopy = error else { throw error ?? .closed }
        #expect(revocations(other.path) == Self.token)
        let new = "\(other.path)/new"
        #expect(throws: StoreError.self) { try restore(bytes, into: new) }
        #expect(access(new, F_OK) != 0)
    }

    /// Neither the rooms nor the revocations change if these are too many for the server.
    @Test func tooManyAreRefused() throws {
        let bytes = try makeBackup(Self.ann + Self.token)
        let full = (0..<Revocations.maximumCount).map { "2026-01-01T00:00:00Z token \($0)\n" }
            .joined()
        let other = try makeStore(full)
        var options = RestoreOptions()
        (options.rooms, options.newName) = (["a"], "b")
        let error = #expect(throws: StoreError.self) {
            try restore(bytes, into: other.path, options)
        }
        guard case .notWritable = error else { throw error ?? .closed }
        #expect(revocations(other.path) == full)
        let storage = try SQLiteStorage(directory: other.path)
        defer { storage.close() }
        #expect(storage.roomsByName.keys.sorted() == ["a"])
    }
}
