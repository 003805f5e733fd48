import Glibc

/// A store's folder, locked for one process for as long as this object lives, unless it is only
/// read beside a server.
///
/// It contains `collsync.db` (with SQLite's files beside it), `collsync.tail` and `lock`.
final class StoreDirectory {
    static let lockName = "lock"

    let path: String
    private let descriptor: Int32

    /// - Parameters:
    ///   - mayCreate: makes the folder if there is none; its parent must exist.
    ///   - locks: if false, another process may use the folder at the same time.
    init(path: String, mayCreate: Bool, locks: Bool = true) throws(StoreError) {
        self.path = path
        if mayCreate { try Self.create(path) }
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .notAStore("cannot use the folder '\(path)': \(Self.reason())")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .notAStore("'\(path)' is no folder") }
        if !mayCreate { try Self.checkReadable(path) }
        guard locks else {
            descriptor = -1
            return
        }
        descriptor = Self.openLock(path, isForReading: !mayCreate)
        guard descriptor >= 0 else {
            throw .notAStore("cannot use the folder '\(path)': \(Self.reason())")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = Self.readHolder(descriptor).map { " by process \($0)" } ?? ""
            // The end of this object closes the descriptor, also as it is not made.
            throw .locked("the folder '\(path)' is in use\(holder)")
        }
        Self.write(holder: getpid(), to: descriptor)
    }

    /// Unlocks explicitly. A child process that is being started has a copy of the descriptor until
    /// it runs its own program. If we only closed ours, the folder would stay locked until then.
    deinit {
        guard descriptor >= 0 else { return }
        flock(descriptor, LOCK_UN)
        Glibc.close(descriptor)
    }

    private static func checkReadable(_ path: String) throws(StoreError) {
        guard access(path + "/collsync.db", R_OK) != 0 else { return }
        if errno == ENOENT { throw .notAStore("there is no store in the folder '\(path)'") }
        throw .io("the store in '\(path)': \(reason())")
    }

    /// Opens the file to lock. If the folder can't be written, the lock file is opened for reading.
    /// If there is none, as in a copy, no server has used the folder, and the database is locked
    /// instead.
    private static func openLock(_ path: String, isForReading: Bool) -> Int32 {
        let lock = "\(path)/\(lockName)"
        let descriptor = Glibc.open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor < 0, isForReading else { return descriptor }
        let reading = Glibc.open(lock, O_RDONLY | O_CLOEXEC)
        guard reading < 0, errno == ENOENT else { return reading }
        return Glibc.open(path + "/collsync.db", O_RDONLY | O_CLOEXEC)
    }

    /// Whether there is something in the write-ahead log.
    var hasWriteAheadLog: Bool {
        var status = stat()
        return stat(writeAheadLogPath, &status) == 0 && status.st_size > 0
    }

    var databasePath: String { path + "/collsync.db" }
    var writeAheadLogPath: String { path + "/collsync.db-wal" }
    var tailPath: String { path + "/" + TailFile.name }

    /// Creates the database file if there is none, and makes sure that only its owner can read the
    /// store. SQLite gives the files beside it the same rights.
    func protectFiles() throws(StoreError) {
        let file = Glibc.open(databasePath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw .notAStore("the store in '\(path)' can't be written: \(Self.reason())")
        }
        Glibc.close(file)
        for suffix in ["", "-wal", "-shm"] {
            var status = stat()
            guard stat(databasePath + suffix, &status) == 0, status.st_mode & 0o077 != 0 else {
                continue
            }
            guard chmod(databasePath + suffix, status.st_mode & 0o700) == 0 else {
                throw .notAStore(
                    "others can use '\(databasePath + suffix)', and its rights can't be changed:"
                        + " \(Self.reason())")
            }
        }
    }

    /// Syncs the write-ahead log, so that it survives a loss of power. A killed process may have
    /// written a commit there without syncing it, and it counts as committed from now on.
    func syncWriteAheadLog() throws(StoreError) {
        let log = Glibc.open(writeAheadLogPath, O_RDONLY | O_CLOEXEC)
        guard log >= 0 else { return }
        defer { Glibc.close(log) }
        guard fdatasync(log) == 0 else { throw .io("\(writeAheadLogPath): \(Self.reason())") }
    }

    /// Creates the folder, for its owner only, so that it survives a loss of power.
    private static func create(_ path: String) throws(StoreError) {
        if mkdir(path, 0o700) != 0 {
            if errno == EEXIST { return }
            throw .notAStore("cannot make the folder '\(path)': \(reason())")
        }
        let parent = Glibc.open(path + "/..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw .io("\(path): \(reason())") }
        defer { Glibc.close(parent) }
        guard fsync(parent) == 0 else { throw .io("\(path): \(reason())") }
    }

    /// The process number in the lock file is only for people; the lock itself is the system's.
    private static func write(holder: pid_t, to descriptor: Int32) {
        var text = "\(holder)\n"
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = text.withUTF8 { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    private static func readHolder(_ descriptor: Int32) -> Int? {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { buffer in
            let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            let digits = buffer.prefix(count).prefix { $0 >= 0x30 && $0 <= 0x39 }
            return Int(String(decoding: digits, as: UTF8.self))
        }
    }

    private static func reason() -> String {
        String(cString: strerror(errno))
    }
}
