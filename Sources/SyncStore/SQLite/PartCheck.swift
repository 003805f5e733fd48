/// Checks the stored parts of a snapshot, one after the other, with one of them in memory.
struct PartCheck {
    private let header: SnapshotHeader
    private(set) var count: Int64 = 0
    private var offset: UInt64 = 0
    private var storedBytes: UInt64 = 0
    private var checksum: UInt32 = 0

    init(of header: SnapshotHeader) {
        self.header = header
    }

    /// Adds the next part.
    ///
    /// - Returns: whether it is undamaged.
    mutating func add(_ part: UnsafeRawBufferPointer) -> Bool {
        let length = Int(min(UInt64(SQLiteStorage.partBytes), header.size - offset))
        // Only an empty snapshot has a part without bytes.
        guard length > 0 || count == 0 else { return false }
        count += 1
        offset += UInt64(length)
        storedBytes += UInt64(part.count)
        return withUnsafeTemporaryAllocation(byteCount: max(length, 1), alignment: 8) { memory in
            let body = UnsafeMutableRawBufferPointer(rebasing: memory[..<length])
            guard Deflate.decompress(part, into: body) else { return false }
            checksum = Checksum.extend(checksum, with: UnsafeRawBufferPointer(body))
            return true
        }
    }

    /// Whether the parts are all of the snapshot.
    var isWhole: Bool {
        offset == header.size && storedBytes == header.storedBytes
            && checksum == header.bodyChecksum
    }
}
