import SyncBytes

/// A limit of a room, of a user or of an address that may be used up by and by.
public enum Quota: UInt8, Sendable, CaseIterable {
    /// A quota that only a newer program knows.
    case unknown = 0
    /// The bytes that a room takes in the server's memory.
    case bytes = 1
    /// The items of a room.
    case items = 2
    /// The sections of a room.
    case sections = 3
    /// The members of a room.
    case members = 4
    /// The bytes that a room takes on disk.
    case disk = 5
    /// The transactions that are committed in a room in a second.
    case transactions = 6
    /// The bytes of log that are written for a room in a second.
    case logBytes = 7
    /// The connections of the client's user; without a user, of its address.
    case connections = 8
    /// The rooms that all these connections are in.
    case rooms = 9
    /// The transactions that the client's user, or its address, writes to all rooms in a second.
    case ownTransactions = 10
    /// The bytes of these transactions.
    case ownLogBytes = 11

    /// Whether it is the user's or the address's, and not the room's.
    public var isOfAccount: Bool {
        switch self {
        case .connections, .rooms, .ownTransactions, .ownLogBytes: true
        case .unknown, .bytes, .items, .sections, .members, .disk, .transactions, .logBytes: false
        }
    }

    /// Its stable name: part of the protocol.
    package var name: String {
        switch self {
        case .unknown: "unknown"
        case .bytes: "bytes"
        case .items: "items"
        case .sections: "sections"
        case .members: "members"
        case .disk: "disk"
        case .transactions: "transactions"
        case .logBytes: "logBytes"
        case .connections: "connections"
        case .rooms: "rooms"
        case .ownTransactions: "ownTransactions"
        case .ownLogBytes: "ownLogBytes"
        }
    }
}

extension Quota: Choice {}

/// How much of a quota is used.
public struct QuotaUse: Sendable, Hashable {
    /// The quota.
    public var quota: Quota
    /// How much of it was used when the server noted it.
    public var used: UInt64
    /// How much may be used.
    public var limit: UInt64

    /// Makes a use of a quota.
    public init(_ quota: Quota, used: UInt64, limit: UInt64) {
        self.quota = quota
        self.used = used
        self.limit = limit
    }
}
