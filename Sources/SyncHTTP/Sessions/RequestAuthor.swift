import SyncModel
import SyncWire

/// The author of transactions that come as requests: a client of a room whose secret only the
/// session knows.
struct RequestAuthor {
    let room: RoomName
    let client: Identifier
    let secret: [UInt8]
    /// The bases of an author's transactions must not descend.
    private(set) var lastBase: Revision = 0
    /// The number of its last transaction.
    private(set) var counter: UInt64 = 0

    /// - Parameter random: gets a random number.
    init(in room: RoomName, _ random: () -> UInt64) {
        self.room = room
        client = RandomName.make(prefix: "h-", random: random())
        let number = random()
        secret = (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// - Parameter key: names the author's only transaction.
    init(in room: RoomName, _ key: IdempotencyKey) {
        self.room = room
        (client, secret) = (key.client, key.secret)
    }

    /// Whether a transaction may have this author.
    ///
    /// - Parameter base: its base; `nil` is the newest revision.
    func serves(_ room: RoomName, base: Revision?) -> Bool {
        room == self.room && (base ?? .max) >= lastBase
    }

    mutating func didSubmit(_ counter: UInt64, base: Revision) {
        (self.counter, lastBase) = (counter, base)
    }
}
