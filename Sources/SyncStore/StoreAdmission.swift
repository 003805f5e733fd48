import SyncBytes
package import SyncModel

/// Decides whether so many bytes of a room may be read into memory.
///
/// A store may come from anybody, and a snapshot of zeros is stored in a thousandth of its bytes.
/// So this is asked before anything of it is in memory, with the bytes of the snapshot,
/// decompressed, or of the records (``LogRecord/readBytes``), or of both. It may be asked again, if
/// the room changes before it is read.
///
/// If it says no, nothing is read, and the call fails with ``StoreError/tooLarge(room:bytes:)``.
package typealias StoreAdmission = (_ bytes: Int) -> Bool

extension LogRecord {
    /// How many bytes it counts for when it is read: its body, and about what the rest of its row
    /// has. So the number of records is bounded, too, even if they are empty.
    package var readBytes: Int { LogRecord.readBytes(ofBody: body.count) }

    static func readBytes(ofBody bytes: Int) -> Int { bytes + rowBytes }

    private static let rowBytes = 24
}

extension StoreError {
    /// Fails if the bytes may not be read.
    static func check(
        _ room: RoomName, bytes: [Int], admitting mayRead: StoreAdmission
    ) throws(StoreError) {
        let sum = bytes.reduce(0) { $0 + min($1, Int.max - $0) }
        guard mayRead(sum) else { throw .tooLarge(room: room, bytes: sum) }
    }
}
