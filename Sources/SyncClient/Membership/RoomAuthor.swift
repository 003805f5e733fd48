/// Who a client is in one room, and how far it has numbered its transactions there. It lasts over
/// its memberships.
struct RoomAuthor {
    private(set) var identity: ClientIdentity
    /// The number of the last transaction.
    private(set) var lastCounter: UInt64 = 0
    /// The greatest number that was sent: a transaction above it has never come to the server.
    private(set) var sentCounter: UInt64 = 0

    init(_ identity: ClientIdentity) {
        self.identity = identity
    }

    /// Takes a number.
    mutating func numberOn(after counter: UInt64) {
        lastCounter = max(lastCounter, counter)
    }

    mutating func didSend(_ counter: UInt64) {
        sentCounter = max(sentCounter, counter)
        numberOn(after: counter)
    }

    /// Becomes somebody who has sent nothing. What it has numbered and not sent keeps its numbers.
    mutating func takeIdentity(_ identity: ClientIdentity) {
        self.identity = identity
        sentCounter = 0
    }
}
