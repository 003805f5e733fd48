import Glibc

/// A file that is there whole or not at all: it is written beside its place and put there at the
/// end. A link stays one: the file that it leads to is put in its place. What is no file, such as a device or a pipe, is
/// written to as it is.
final class AtomicFile {
    let descriptor: Int32
    private let path: String
    private let place: Place
    private var isCommitted = false

    /// Where it is written.
    private enum Place {
        case beside(temporary: String, final: String)
        case itself
    }

    init(path: String) throws {
        self.path = path
        let flags = O_WRONLY | O_CLOEXEC
        if AtomicFile.isFile(path) {
            let final = AtomicFile.resolved(path)
            let temporary = "\(final).\(getpid()).part"
            place = .beside(temporary: temporary, final: final)
            descriptor = open(temporary, flags | O_CREAT | O_EXCL, 0o666)
        } else {
            place = .itself
            descriptor = open(path, flags)
        }
        guard descriptor >= 0 else { throw Failure(cannot: "write \(path)") }
    }

    deinit {
        close(descriptor)
        if case .beside(let temporary, _) = place, !isCommitted { unlink(temporary) }
    }

    /// Puts the file in its place, with all that has been written on disk.
    func commit() throws {
        // What is no file may have no disk.
        let isOnDisk = fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS
        var isPlaced = true
        if case .beside(let temporary, let final) = place, isOnDisk {
            isPlaced = rename(temporary, final) == 0
        }
        guard isOnDisk, isPlaced else { throw Failure(cannot: "write \(path)") }
        isCommitted = true
    }

    /// Whether it is a file, or nothing yet.
    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    /// The path behind all links, if there is something.
    private static func resolved(_ path: String) -> String {
        guard let text = realpath(path, nil) else { return path }
        defer { free(text) }
        return String(cString: text)
    }
}

extension Failure {
    /// What the system refuses, with its reason.
    init(cannot what: String, exitCode: Int32 = Failure.outputFailed) {
        self.init("cannot \(what): \(String(cString: strerror(errno)))", exitCode: exitCode)
    }
}
