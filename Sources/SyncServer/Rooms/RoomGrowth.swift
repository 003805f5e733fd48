import SyncRoom
import SyncStore

/// How much memory a stored room may take while it is read, beyond what was reserved for it before.
///
/// Only a forged room grows far. It may not take so much that rooms of others are closed for it, or
/// that their edits are refused, each time that somebody joins it.
struct RoomGrowth: Sendable {
    private let charge: Charge
    private let most: Int
    private let spare: Int

    /// From three quarters of the server's memory on, unused rooms are closed.
    private static let sparePart = 4

    /// - Parameters:
    ///   - charge: what was reserved, which grows with the room.
    ///   - policy: the limits of a room. It may have had higher ones before, so it may take twice
    ///     as much.
    init(of charge: Charge, in pots: Pots, upTo policy: RoomPolicy) {
        self.charge = charge
        most = RoomGrowth.twice(policy.maximumBytes)
        spare = pots.memory.limit / RoomGrowth.sparePart
    }

    /// Reserves so many bytes, beside those that are stored.
    ///
    /// - Returns: whether the room may take them.
    func allows(_ bytes: Int, ofStored stored: Int) -> Bool {
        let all = stored + bytes
        if all <= charge.count { return true }
        // A room that is not forged takes about what was reserved.
        if all <= RoomGrowth.twice(StoredRoom.memoryBytes(ofStored: stored)) {
            return charge.reserve(all)
        }
        return all <= most && charge.reserve(all, leaving: spare)
    }

    private static func twice(_ bytes: Int) -> Int { 2 * min(bytes, Int.max / 2) }
}
