import Glibc
import SyncAccess
import SyncIO
import SyncServer

/// The file with the revocations: a line each, as ``SyncAccess/Revocation`` reads it.
///
/// The server adds a line for each request of an admin, and looks every second whether other
/// programs have changed the file. Revocations that are known stay until the server ends, even if
/// their lines are removed.
final class RevocationFile: RevocationLog, Sendable {
    private struct State {
        /// What the file was when it was read last.
        var mark: Mark?
        var known = Revocations()
        /// Called with all that is known, when there is more.
        var didGrow: (@Sendable (Revocations) -> Void)?
    }

    /// Tells whether a file has changed.
    private struct Mark: Equatable {
        var inode: UInt64
        var size: Int64
        var seconds: Int
        var nanoseconds: Int
    }

    private let path: String
    private let worker: any Worker
    private let log: any ServerLog
    private let state = Monitor(State())

    /// Reads the file, which need not exist.
    ///
    /// - Parameter worker: reads and writes the file later.
    /// - Throws: ``FileFailure`` if the file is there and can't be read, as then nobody knows whom
    ///   to keep out.
    init(_ path: String, worker: any Worker, log: any ServerLog) throws(FileFailure) {
        self.path = path
        self.worker = worker
        self.log = log
        try read()
    }

    var known: Revocations { state.withLock { $0.known } }

    /// Looks at the file again and again, on a loop of the server.
    func watch(on loop: any EventLoop, for server: Server) {
        state.withLock { $0.didGrow = { server.revoke($0) } }
        Recurrence(on: worker) { [self] in look() }.begin(on: loop)
    }

    private func look() {
        do throws(FileFailure) {
            guard try mark() != state.withLock({ $0.mark }) else { return }
            try read()
            let (known, didGrow) = state.withLock { ($0.known, $0.didGrow) }
            didGrow?(known)
            log.log(.info, "the revocations are read again", ["count": "\(known.count)"])
        } catch {
            log.log(.error, "the revocations can't be read", ["why": error.description])
        }
    }

    /// Ends the watch, and releases the server, which retains this file.
    func finish() {
        worker.finish()
        // This may be the last reference to the server, so it is released outside the lock.
        _ = state.withLock { $0.didGrow.take() }
    }

    // MARK: Adding

    func add(
        _ revocation: Revocation, completion: @escaping @Sendable (RevocationFailure?) -> Void
    ) {
        worker.submit { [self] in
            var all = known
            if all.contains(revocation) { return completion(nil) }
            guard all.insert(revocation) else { return completion(.full) }
            do throws(FileFailure) {
                let line = revocation.line(at: UInt64(max(0, time(nil)))) + "\n"
                guard try append(line) else { return completion(.full) }
            } catch {
                log.log(.error, "a revocation can't be written", ["why": error.description])
                return completion(.unavailable)
            }
            state.withLock { _ = $0.known.insert(revocation) }
            completion(nil)
        }
    }

    /// Adds a line, in one piece, and syncs it. A line that another program has not ended is ended.
    ///
    /// - Returns: `false` if the next server could not read the file then.
    private func append(_ line: String) throws(FileFailure) -> Bool {
        let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(path) }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        var last: UInt8 = 0
        let isEnded =
            size == 0 || pread(descriptor, &last, 1, size - 1) == 1 && last == UInt8(ascii: "\n")
        let bytes = Array(((isEnded ? "" : "\n") + line).utf8)
        guard size <= RevocationText.maximumBytes - bytes.count else { return false }
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0
        else { throw FileFailure(path) }
        return true
    }

    // MARK: Reading

    private func mark() throws(FileFailure) -> Mark? {
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            if errno == ENOENT { return nil }
            throw FileFailure(path)
        }
        return Mark(
            inode: UInt64(facts.st_ino), size: Int64(facts.st_size), seconds: facts.st_mtim.tv_sec,
            nanoseconds: facts.st_mtim.tv_nsec)
    }

    /// Adds what is in the file. A line that is not ended is left for later; one that can't be read
    /// is reported, and the others count.
    private func read() throws(FileFailure) {
        guard let mark = try mark() else { return state.withLock { $0.mark = nil } }
        guard let file = fopen(path, "rb") else { throw FileFailure(path) }
        defer { fclose(file) }
        let most = min(Int(mark.size), RevocationText.maximumBytes) + 1
        var bytes = [UInt8](repeating: 0, count: most)
        let count = fread(&bytes, 1, most, file)
        guard ferror(file) == 0 else { throw FileFailure(path) }
        bytes.removeLast(most - count)
        guard bytes.count <= RevocationText.maximumBytes else {
            throw FileFailure(path, "it is longer than \(RevocationText.maximumBytes) bytes")
        }
        let text = RevocationText(bytes)
        if let line = text.firstWrongLine {
            log.log(
                .error, "a line is no revocation, or there are too many",
                ["file": path, "line": "\(line)"])
        }
        let fit = state.withLock { state in
            state.mark = mark
            return state.known.formUnion(text.revocations)
        }
        if !fit { log.log(.error, "there are too many revocations", ["file": path]) }
    }
}

/// The revocations of a server that keeps nothing.
struct UnkeptRevocations: RevocationLog {
    func add(
        _ revocation: Revocation, completion: @escaping @Sendable (RevocationFailure?) -> Void
    ) {
        completion(nil)
    }
}
