/// Decides whether so many bytes of a room may be read into memory.
///
/// A store may come from anybody, and a snapshot of zeros is stored in a thousandth of its bytes.
/// So this is asked before anything of the room is in memory, with the bytes of its snapshot,
/// decompressed, and of the records after it. It may be asked again, if the room changes before it
/// is read.
///
/// If it says no, nothing is read, and the call fails with ``StoreError/tooLarge(room:bytes:)``.
package typealias StoreAdmission = (_ bytes: Int) -> Bool

extension StoreError {
    /// Fails if the bytes may not be read.
    static func check(
        _ room: String, bytes: [Int], admitting mayRead: StoreAdmission
    ) throws(StoreError) {
        let sum = bytes.reduce(0) { $0 + min($1, Int.max - $0) }
        guard mayRead(sum) else { throw .tooLarge(room: room, bytes: sum) }
    }
}
