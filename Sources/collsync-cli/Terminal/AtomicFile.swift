import Glibc

/// A file that is there whole or not at all: it is written beside its place and put there at the end.
final class AtomicFile {
    let descriptor: Int32
    private let path: String
    private let temporaryPath: String
    private var isCommitted = false

    init(path: String) throws {
        self.path = path
        temporaryPath = "\(path).\(getpid()).part"
        descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Failure(cannot: "write \(path)") }
    }

    deinit {
        close(descriptor)
        if !isCommitted { unlink(temporaryPath) }
    }

    /// Puts the file in its place, with all that has been written on disk.
    func commit() throws {
        guard fsync(descriptor) == 0 || errno == EINVAL, rename(temporaryPath, path) == 0 else {
            throw Failure(cannot: "write \(path)")
        }
        isCommitted = true
    }
}

extension Failure {
    /// What the system refuses, with its reason.
    init(cannot what: String, exitCode: Int32 = Failure.outputFailed) {
        self.init("cannot \(what): \(String(cString: strerror(errno)))", exitCode: exitCode)
    }
}
