import Glibc

/// A file that is written completely or not at all: a temporary file beside it replaces it at the
/// end. If the path is a link, its target is replaced or created. A device or a pipe is written to
/// directly.
final class AtomicFile {
    let descriptor: Int32
    private let path: String
    private let place: Place
    private var isCommitted = false

    /// Where the bytes are written.
    private enum Place {
        case beside(temporary: String, final: String)
        case itself
    }

    init(path: String) throws {
        self.path = path
        let flags = O_WRONLY | O_CLOEXEC
        if AtomicFile.isFile(path) {
            guard let final = AtomicFile.resolved(path) else {
                throw Failure(cannot: "write \(path)")
            }
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

    /// Moves the file to its place, after everything is on disk.
    func commit() throws {
        // Devices and pipes may not support this.
        let isOnDisk = fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS
        var isPlaced = true
        if case .beside(let temporary, let final) = place, isOnDisk {
            isPlaced = rename(temporary, final) == 0
        }
        guard isOnDisk, isPlaced else { throw Failure(cannot: "write \(path)") }
        isCommitted = true
    }

    /// Whether it is a regular file, or does not exist yet.
    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    /// The most links in a chain, as in the system.
    private static let mostLinks = 40

    /// The path with all links resolved. The last one may name a file that does not exist yet.
    /// `nil`, with `errno`, if they lead nowhere.
    private static func resolved(_ path: String) -> String? {
        var path = path
        for _ in 0..<mostLinks {
            if let text = realpath(path, nil) {
                defer { free(text) }
                return readable(text)
            }
            guard errno == ENOENT else { return nil }
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return path }
            guard let target = target(ofLink: path) else { return nil }
            let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            path = target.hasPrefix("/") ? target : folder + target
        }
        errno = ELOOP
        return nil
    }

    /// A path as text; `nil` if it is not UTF-8.
    private static func readable(_ path: UnsafePointer<CChar>) -> String? {
        let text = String(validatingCString: path)
        if text == nil { errno = EILSEQ }
        return text
    }

    /// The target of a link.
    private static func target(ofLink path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink(path, base, Int(PATH_MAX))
            guard count >= 0 else { return nil }
            base[count] = 0
            return readable(base)
        }
    }
}

extension Failure {
    /// A failed system call, with its reason.
    init(cannot what: String, exitCode: Int32 = Failure.outputFailed) {
        self.init("cannot \(what): \(String(cString: strerror(errno)))", exitCode: exitCode)
    }
}
