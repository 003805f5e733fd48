import Glibc
import SyncAccess

/// The file with revocations beside a store. It is no part of the store, but backups carry its
/// lines, and restorations add them.
struct RevocationsBeside {
    /// The name of the file in the folder of a store.
    static let usualName = "revocations"

    private let path: String

    /// - Parameter path: `nil` for the usual place in the folder of a store.
    init(_ path: String?, beside directory: String) {
        self.path = path ?? "\(directory)/\(Self.usualName)"
    }

    /// All that is in the file; nothing if there is none.
    func read() throws(StoreError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return [] }
            throw .failedCall(path)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= RevocationText.maximumBytes {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .failedCall(path) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        throw Self.tooLong(path)
    }

    /// Adds the lines that the file lacks, all at once: whoever reads it finds them all, or none.
    ///
    /// - Returns: how many there were.
    func add(_ lines: [UInt8]) throws(StoreError) -> Int {
        if lines.isEmpty { return 0 }
        var bytes = try read()
        let count = bytes.count
        let new = RevocationText(lines, beyond: RevocationText(bytes).revocations)
        guard new.wrongLines == 0 else {
            throw .notWritable("\(path) can't have more than \(Revocations.maximumCount) lines")
        }
        if new.lines.isEmpty { return 0 }
        if let last = bytes.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
        bytes += new.lines
        guard bytes.count <= RevocationText.maximumBytes else { throw Self.tooLong(path) }
        let target = Self.resolved(path)
        try CopyFile.replace(target, by: bytes, withRightsOfFormer: true) { () throws(StoreError) in
            // A line that another program has added meanwhile must not get lost.
            guard try read().count == count else {
                throw .locked("\(path) is being changed: try again")
            }
        }
        return new.lineCount
    }

    private static func tooLong(_ path: String) -> StoreError {
        .notWritable("\(path) can't be longer than \(RevocationText.maximumBytes) bytes")
    }

    /// The file that a symbolic link leads to, so that the link stays.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
