import Glibc

/// A file that a copy is written to. Nobody but its owner can read it.
///
/// Either it replaces the file at a path when it is whole, or it has no name and only stores what
/// is sent later. Until it is whole it has no name either, where the system can do that; so nothing
/// is left of it, however the program ends.
package final class CopyFile {
    private let descriptor: Int32
    /// A name that it has until it is in its place.
    private var temporaryName: String?
    /// Where it will be.
    private var target: String?

    /// A file that will be at `path`.
    package init(replacing path: String) throws(StoreError) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw .notWritable("'\(path)' is no file")
        }
        let made = try Self.make(in: Self.folder(of: path))
        (descriptor, temporaryName, target) = (made.descriptor, made.name, path)
    }

    /// Puts bytes in the place of a file, or makes it. Whoever reads it finds all of them, or what
    /// was there before.
    ///
    /// - Parameters:
    ///   - withRightsOfFormer: whether the new file has the owner and the rights of the former one.
    ///   - check: called when all is written. What it throws leaves the former file.
    package static func replace(
        _ path: String, by bytes: [UInt8], withRightsOfFormer: Bool = false,
        check: () throws(StoreError) -> Void = { () throws(StoreError) in }
    ) throws(StoreError) {
        let file = try CopyFile(replacing: path)
        if withRightsOfFormer { try file.takeRights() }
        let failure: StoreError? = bytes.withUnsafeBytes { bytes in
            do throws(StoreError) {
                try file.write(bytes)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
        try check()
        try file.finish()
    }

    /// Takes the owner and the rights of the file whose place it will take, if there is one.
    private func takeRights() throws(StoreError) {
        var status = stat()
        guard let target, stat(target, &status) == 0 else { return }
        guard fchown(descriptor, status.st_uid, status.st_gid) == 0,
            fchmod(descriptor, status.st_mode & 0o777) == 0
        else { throw .failedCall(target) }
    }

    /// Whether a name is that of a file that was not finished.
    package static func isTemporary(_ name: String) -> Bool {
        name.utf8.starts(with: temporaryPrefix.utf8)
    }

    private static let temporaryPrefix = ".collsync-copy-"

    /// A file without a name, in a folder.
    package init(temporaryIn folder: String) throws(StoreError) {
        let made = try Self.make(in: folder + "/")
        if let name = made.name { unlink(name) }
        (descriptor, temporaryName, target) = (made.descriptor, nil, nil)
    }

    deinit {
        Glibc.close(descriptor)
        if let temporaryName { unlink(temporaryName) }
    }

    /// The folder of a path, with a slash at the end; empty if the path names none.
    private static func folder(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
    }

    /// Makes a file. It has a name if the system or the folder's file system needs one.
    private static func make(
        in folder: String
    ) throws(StoreError) -> (descriptor: Int32, name: String?) {
        if access(ownFiles, X_OK) == 0 {
            let descriptor = Glibc.open(
                folder.isEmpty ? "." : folder, unnamedFile | O_RDWR | O_CLOEXEC, 0o600)
            if descriptor >= 0 { return (descriptor, nil) }
        }
        var template = Array("\(folder)\(temporaryPrefix)XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw .failedCall(folder) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let bytes = template.dropLast().map(UInt8.init(bitPattern:))
        return (descriptor, String(decoding: bytes, as: UTF8.self))
    }

    /// `O_TMPFILE`, which Swift does not import.
    private static let unnamedFile = 0o20_000_000 | O_DIRECTORY
    /// Where a process finds its open files, and so gives a name to one that has none.
    private static let ownFiles = "/proc/self/fd"

    /// Gives the file a name in the folder of its target.
    private func giveName(beside target: String) throws(StoreError) {
        while true {
            let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
            let name = "\(Self.folder(of: target))\(Self.temporaryPrefix)\(number)"
            let own = "\(Self.ownFiles)/\(descriptor)"
            if linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 {
                temporaryName = name
                return
            }
            guard errno == EEXIST else { throw .failedCall(target) }
        }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        try Self.write(bytes, to: descriptor)
    }

    /// Writes everything to a file or a pipe, and waits as long as that takes.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
    ) throws(StoreError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let slice = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(descriptor, slice.baseAddress, slice.count)
            if count < 0, errno == EINTR || errno == EAGAIN {
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&request, 1, -1)
                continue
            }
            guard count > 0 else { throw .failedCall("the copy") }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends everything that was written.
    package func send(to other: Int32) throws(StoreError) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw .failedCall("the copy") }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .failedCall("the copy") }
            if count == 0 { return }
            let failure: StoreError? = buffer.withUnsafeBytes { bytes in
                do throws(StoreError) {
                    try Self.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: other)
                    return nil
                } catch {
                    return error
                }
            }
            if let failure { throw failure }
        }
    }

    package static func openForReading(_ path: String) throws(StoreError) -> Int32 {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { throw .notAStore("there is no file '\(path)'") }
        guard descriptor >= 0 else { throw .failedCall(path) }
        return descriptor
    }

    /// Reads something, and waits until there is something.
    ///
    /// - Returns: how many bytes; 0 at the end.
    package static func read(
        into memory: UnsafeMutableRawBufferPointer, from descriptor: Int32
    ) throws(StoreError) -> Int {
        while true {
            let count = Glibc.read(descriptor, memory.baseAddress, memory.count)
            if count >= 0 { return count }
            guard errno == EINTR || errno == EAGAIN else { throw .failedCall("the copy") }
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&request, 1, -1)
        }
    }

    /// Makes what was written durable, and puts it in its place.
    package func finish() throws(StoreError) {
        guard let target else { return }
        guard fsync(descriptor) == 0 else { throw .failedCall(target) }
        // Only a rename can take the place of another file.
        if temporaryName == nil { try giveName(beside: target) }
        guard let temporaryName, rename(temporaryName, target) == 0 else {
            throw .failedCall(target)
        }
        (self.temporaryName, self.target) = (nil, nil)
        try Self.syncFolder(of: target)
    }

    /// Syncs the folder that has the file, so that its name survives a loss of power.
    static func syncFolder(of path: String) throws(StoreError) {
        let folder = Self.folder(of: path)
        let descriptor = Glibc.open(
            folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failedCall(folder) }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .failedCall(folder) }
    }
}

extension StoreError {
    /// The error of the system's last call.
    static func failedCall(_ subject: String) -> StoreError {
        if errno == ENOSPC || errno == EDQUOT { return .diskFull }
        return .io("\(subject): \(String(cString: strerror(errno)))")
    }
}
