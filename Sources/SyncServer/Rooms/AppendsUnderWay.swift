import SyncBytes

/// The records of a room that are on their way to the store, which answers for them in order.
struct AppendsUnderWay {
    private var counts = Fifo<Int>()
    /// How many bytes they have.
    private(set) var byteCount = 0

    var count: Int { counts.count }
    var isEmpty: Bool { counts.isEmpty }

    /// A record of so many bytes is appended.
    mutating func add(_ bytes: Int) {
        counts.append(bytes)
        byteCount += bytes
    }

    /// The store has answered for the first one.
    mutating func removeFirst() {
        byteCount -= counts.popFirst() ?? 0
    }
}
