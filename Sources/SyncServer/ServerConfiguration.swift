package import SyncIO
package import SyncRoom
package import SyncWire

/// A server's options. The defaults are those of `collsync serve`.
package struct ServerConfiguration: Sendable {
    package var address = SocketAddress(host: "127.0.0.1", port: 7420)
    /// How many loops there are. A room belongs to one loop, and a loop serves many rooms. More
    /// loops help if many rooms are busy at once.
    package var threads = 1
    /// The program's name, as clients see it.
    package var agent = "collsync"

    /// Limits of what may come in.
    package var wire = WireLimits()
    package var room = RoomPolicy()
    package var maximumConnections = 20_000
    /// How many rooms may be open at once.
    package var maximumRooms = 10_000
    package var connections = ConnectionPolicy()
    package var reads = ReadPolicy()
    package var storage = StoragePolicy()

    /// How much work a loop does in a turn before it looks at its connections again, see
    /// ``TurnBudget``.
    package var turnSteps = 32_768
    /// A turn that blocks its loop for so long is logged; 0 logs none.
    package var slowMilliseconds: UInt64 = 50

    /// How much memory connections and rooms may use.
    package var maximumMemoryBytes = Int.max
    /// The limits of an address that is not trusted, for connections that have not signed in.
    package var addresses = AccountLimits()
    /// The limits of a user that has signed in, from whatever addresses.
    package var users = AccountLimits()
    package var proxies = ProxyPolicy()

    /// Secures connections; `nil` if they are plain.
    package var security: (any ServerSecurity)?
    /// The tokens that connections must show; `nil` if everyone may do everything.
    package var tokens: TokenAuthentication?
    package var revocation = RevocationPolicy()
    /// How long a shutdown takes at most.
    package var drainMilliseconds: UInt64 = 10_000

    /// The maximum of `wire.unansweredTransactions`, because a room keeps so many results of a
    /// client.
    package static let maximumUnanswered = Authors.window

    package init() {}

    /// These options with those limits of others that a running server can change: of the server
    /// and its rooms, addresses and users, of connections, and of reads.
    ///
    /// What clients were told in the welcome (``wire``) stays as it was, and so does the store's
    /// limit on disk, which the store enforces.
    package func changed(toLimitsOf others: ServerConfiguration) -> ServerConfiguration {
        var result = self
        result.room = others.room
        result.maximumConnections = others.maximumConnections
        result.maximumRooms = others.maximumRooms
        result.maximumMemoryBytes = others.maximumMemoryBytes
        result.connections.maximumBytes = others.connections.maximumBytes
        result.connections.maximumViewBytes = others.connections.maximumViewBytes
        result.connections.maximumRequests = others.connections.maximumRequests
        result.reads.maximumWaiting = others.reads.maximumWaiting
        result.reads.maximumBytes = others.reads.maximumBytes
        result.reads.maximumBytesPerConnection = others.reads.maximumBytesPerConnection
        result.storage.maximumRoomDiskBytes = others.storage.maximumRoomDiskBytes
        result.storage.writes = others.storage.writes
        result.addresses = others.addresses
        result.users = others.users
        return result
    }

    /// Whether users or addresses have limits of what they write in a second.
    var limitsWritesOfAccounts: Bool { users.writes.isLimited || addresses.writes.isLimited }

    /// The limits of what a connection may use.
    var holderLimits: Holder.Limits {
        var limits = Holder.Limits()
        limits.bytes = connections.maximumBytes
        limits.viewBytes = connections.maximumViewBytes
        limits.answerBytes = reads.maximumBytesPerConnection
        return limits
    }
}

/// The addresses of proxies, and of others that are trusted.
package struct ProxyPolicy: Sendable {
    /// Addresses without limits.
    package var trusted = TrustedAddresses.loopback
    /// Whether connections from these begin with a PROXY header.
    package var sendHeaders = false
}

/// A connection's limits and timeouts.
package struct ConnectionPolicy: Sendable {
    /// How many bytes of memory a connection may use, with its views and the answers that it has
    /// requested.
    package var maximumBytes = 128 << 20
    /// How many bytes the views of a connection may take, in all its rooms.
    package var maximumViewBytes = Holder.Limits().viewBytes
    /// How many requests of a connection may be unanswered.
    package var maximumRequests = 64
    package var handshakeTimeoutMilliseconds: UInt64 = 10_000
    /// How long a frame may take to arrive, from its first byte. Each 32 KiB of it that have
    /// arrived add a second.
    package var frameTimeoutMilliseconds: UInt64 = 30_000
    package var heartbeatMilliseconds: UInt32 = 15_000
    /// A connection without input for so many heartbeats counts as lost.
    package var missedHeartbeats: UInt64 = 3
}

/// Limits of read requests to rooms, beside what their members are sent.
package struct ReadPolicy: Sendable {
    /// How many reads that replay a room's log a loop does at once.
    package var maximumReplays = 8
    /// How many such reads may wait.
    package var maximumWaiting = 1024
    /// How many items or changes a loop encodes at once for read requests. A larger snapshot is
    /// encoded in several turns; a larger batch is replayed from the log on a worker.
    package var itemsPerTurn = 8_192
    /// How many bytes of requested snapshots and batches the server may have made that clients have
    /// not taken yet.
    package var maximumBytes = 512 << 20
    /// How many of them one connection may have requested, unless it is a single answer.
    package var maximumBytesPerConnection = 128 << 20
}

/// What is stored of rooms, and when.
package struct StoragePolicy: Sendable {
    /// Whether a join makes a room that is not there.
    package var createsRooms = true
    /// Whether the store is in memory. Then its bytes count as the server's memory.
    package var isInMemory = false
    /// How many bytes the store may have on disk. The store enforces this limit; the server logs a
    /// warning before it is reached.
    package var maximumDiskBytes: UInt64?
    /// How many bytes of log and snapshots a room may have on disk; `nil` for no limit.
    package var maximumRoomDiskBytes: UInt64?
    /// How much is written to all rooms together in a second.
    package var writes = WriteLimits()
    /// How long old log is kept at least; `nil` is for ever.
    package var historyMilliseconds: UInt64?
    /// How often the time is noted in the store, and old log is removed.
    package var upkeepMilliseconds: UInt64 = 600_000
    /// A snapshot is taken when the log since the last one has so many revisions, minus a quarter
    /// of the room's nodes, since reading those takes time, too; but never below that quarter……
    package var snapshotRevisions: UInt64 = 500_000
    /// …or when it has so many bytes, or a quarter of the last snapshot's bytes if that is more. So
    /// writing snapshots costs a small share of writing the log. Reading the log after one takes
    /// less than a second in most rooms.
    package var snapshotBytes = 32 << 20
    /// How long a room without members stays open.
    package var idleUnloadMilliseconds: UInt64 = 60_000
}
