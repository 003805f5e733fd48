import Glibc

/// A file that is there whole or not at all: it is written beside its place and put there at the
/// end. A link stays one: the file that it names is put in its place, also if there is none yet.
/// What is no file, such as a device or a pipe, is written to as it is.
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

    /// Links that lead to each other, at most; the system follows as many.
    private static let mostLinks = 40

    /// The path behind all links, of which the last may name a file that is not there yet; `nil`,
    /// and `errno`, if they lead nowhere.
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

    /// A path, unless it is one that a text can't hold.
    private static func readable(_ path: UnsafePointer<CChar>) -> String? {
        let text = String(validatingCString: path)
        if text == nil { errno = EILSEQ }
        return text
    }

    /// What a link names.
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
    /// What the system refuses, with its reason.
    init(cannot what: String, exitCode: Int32 = Failure.outputFailed) {
        self.init("cannot \(what): \(String(cString: strerror(errno)))", exitCode: exitCode)
    }
}
