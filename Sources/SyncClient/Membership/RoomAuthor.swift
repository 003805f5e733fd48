/// A client's identity in one room, and the last numbers of its transactions there. It outlives
/// memberships.
struct RoomAuthor {
    private(set) var identity: ClientIdentity
    /// The number of the last transaction.
    private(set) var lastCounter: UInt64 = 0
    /// The greatest number that was sent: a transaction above it has never reached the server.
    private(set) var sentCounter: UInt64 = 0

    init(_ identity: ClientIdentity) {
        self.identity = identity
    }

    /// Makes the next number exceed this one.
    mutating func numberOn(after counter: UInt64) {
        lastCounter = max(lastCounter, counter)
    }

    mutating func didSend(_ counter: UInt64) {
        sentCounter = max(sentCounter, counter)
        numberOn(after: counter)
    }

    /// Continues under an identity that has sent nothing. Unsent transactions keep their numbers.
    mutating func adoptIdentity(_ identity: ClientIdentity) {
        self.identity = identity
        sentCounter = 0
    }
}
