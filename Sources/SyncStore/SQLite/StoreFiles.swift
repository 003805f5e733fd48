import Glibc

/// The files of a store in its folder. What else is there is not the store's.
package enum StoreFiles {
    static let names = [
        "collsync.db", "collsync.db-wal", "collsync.db-shm", "collsync.db-journal", TailFile.name,
        StoreDirectory.lockName,
    ]

    /// How many bytes they have.
    package static func bytes(in folder: String) -> UInt64 {
        names.reduce(0) { sum, name in
            var file = stat()
            guard stat("\(folder)/\(name)", &file) == 0 else { return sum }
            return sum + UInt64(clamping: file.st_size)
        }
    }
}
