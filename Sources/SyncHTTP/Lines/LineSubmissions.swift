import SyncModel

/// The numbers of a member's transactions: the last one, and those in flight.
///
/// A session answers each, and has no more in flight than it accepts, so the list is bounded. No
/// number in flight is greater than the last one.
struct LineSubmissions {
    var lastNumber: UInt64 = 0
    private var inFlight: Set<UInt64> = []
    /// The ids of items that transactions in flight paste.
    private var pasted: [UInt64: [Identifier]] = [:]
    private var pastedCount = 0

    private static let bytesOfNumber = 32
    private static let bytesOfID = 32

    var memoryBytes: Int {
        inFlight.capacity * LineSubmissions.bytesOfNumber
            + pastedCount * LineSubmissions.bytesOfID
    }

    func isInFlight(_ number: UInt64) -> Bool {
        // Most numbers are new.
        number <= lastNumber && inFlight.contains(number)
    }

    mutating func didSend(_ number: UInt64) {
        lastNumber = max(lastNumber, number)
        inFlight.insert(number)
    }

    /// Notes that a transaction in flight pastes items.
    mutating func pastes(_ ids: [Identifier], _ number: UInt64) {
        pasted[number] = ids
        pastedCount += ids.count
    }

    /// Removes an answered transaction.
    ///
    /// - Returns: the ids of what it pastes, empty for most; `nil` if it was not in flight.
    mutating func takeAnswered(_ number: UInt64) -> [Identifier]? {
        guard inFlight.remove(number) != nil else { return nil }
        if inFlight.isEmpty { inFlight = [] }
        guard !pasted.isEmpty, let ids = pasted.removeValue(forKey: number) else { return [] }
        pastedCount -= ids.count
        return ids
    }
}
