import Glibc

/// A folder with the files of a store, which is removed with this object.
final class TemporaryFolder {
    let path: String

    init() {
        var template = Array("/tmp/collsync-store-XXXXXX".utf8CString)
        mkdtemp(&template)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in Files.ofStore + ["collsync.tail", "lock", "revocations"] {
            unlink("\(path)/\(name)")
        }
        rmdir(path)
    }
}

/// Access to a store's files from outside.
enum Files {
    static let database = "collsync.db"
    static let writeAheadLog = "collsync.db-wal"
    static let ofStore = [database, writeAheadLog, "collsync.db-shm"]

    static func read(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: ftell(file))
        rewind(file)
        let count = fread(&bytes, 1, bytes.count, file)
        return count == bytes.count ? bytes : nil
    }

    static func write(_ bytes: [UInt8], to path: String) {
        guard let file = fopen(path, "w") else { return }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    static func remove(_ path: String) {
        unlink(path)
    }

    /// The target of a symbolic link, or `nil` if the path is none.
    static func linkTarget(_ path: String) -> String? {
        var target = [UInt8](repeating: 0, count: 4096)
        let count = target.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlink(path, $0, bytes.count) } ?? -1
        }
        return count < 0 ? nil : String(decoding: target[..<count], as: UTF8.self)
    }

    /// Copies a store as a crash leaves it: the database and the write-ahead log, without SQLite's
    /// shared memory.
    static func copyStore(from source: String, to target: String) {
        for name in [database, writeAheadLog] {
            if let bytes = read("\(source)/\(name)") { write(bytes, to: "\(target)/\(name)") }
        }
    }
}
