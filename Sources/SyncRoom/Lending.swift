/// What a room's state is given to a worker for: a transaction that takes more than a turn, and what is made for those
/// who look at the room. The two take turns.
struct Lending {
    /// Whether whoever owns the room has a worker for what takes more than a turn.
    var hasWorkers = false
    /// Whether the next transaction takes more than a turn has for it.
    var isNextLarge = false
    /// Whether the last loan was for a transaction.
    var wasTransactionLent = false
    /// What is to be made for those who look at the room.
    var errands = Errands()

    /// The state is another one: nothing is known of what is next.
    mutating func beginAgain() {
        isNextLarge = false
        errands = Errands()
    }

    /// For whom something is to be made now; `nil` if nothing is, or it is not time for it.
    func nextErrand(at now: UInt64) -> JobOwner? {
        guard let wanted = errands.wanted, !errands.isUnderWay, now >= errands.earliest else {
            return nil
        }
        return wanted.owner
    }

    /// When something is to be made; `nil` if nothing waits for its time.
    var errandDue: UInt64? {
        errands.wanted == nil || errands.isUnderWay ? nil : errands.earliest
    }
}
