package import SyncIO
package import SyncRoom
package import SyncWire

/// What can be chosen about a server. The defaults are those of `collsync serve`.
package struct ServerConfiguration: Sendable {
    package var address = SocketAddress(host: "127.0.0.1", port: 7420)
    /// How many loops there are. A room lives on one loop, and one loop serves many rooms; more pay
    /// where many rooms are busy at once.
    package var threads = 1
    /// What clients see of the program.
    package var agent = "collsync"

    /// What may come in.
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
    /// A turn that holds its loop for so long is logged; 0 logs none.
    package var slowMilliseconds: UInt64 = 50

    /// How much memory connections and rooms may hold.
    package var maximumMemoryBytes = Int.max
    /// How much an address may have and do that is not trusted.
    package var addresses = AddressLimits()
    package var trusted = TrustedAddresses.loopback
    /// Whether connections from trusted addresses begin with a PROXY header.
    package var readsProxyHeaders = false

    /// Who may ask for what.
    package var gate: any Gate = OpenGate()
    package var createsRooms = true
    /// How long a server takes at most to finish when it is told to stop.
    package var drainMilliseconds: UInt64 = 10_000

    /// The most that `wire.unansweredTransactions` may be: so many results are kept of a client.
    package static let maximumUnanswered = Authors.window

    package init() {}

    /// What a connection may hold.
    var holderLimits: Holder.Limits {
        var limits = Holder.Limits()
        limits.bytes = connections.maximumBytes
        limits.viewBytes = connections.maximumViewBytes
        limits.answerBytes = reads.maximumBytesPerConnection
        return limits
    }
}

/// What a connection may have, and how long it is waited for.
package struct ConnectionPolicy: Sendable {
    /// How many bytes a connection may hold, with its views, and with what it has asked for.
    package var maximumBytes = 128 << 20
    /// How many bytes the views of a connection may take, in all its rooms.
    package var maximumViewBytes = Holder.Limits().viewBytes
    /// How many requests of a connection may be unanswered.
    package var maximumRequests = 64
    package var handshakeTimeoutMilliseconds: UInt64 = 10_000
    /// How long a frame may take to come, from its first byte; each 32 KiB that have come of it are
    /// a second more.
    package var frameTimeoutMilliseconds: UInt64 = 30_000
    package var heartbeatMilliseconds: UInt32 = 15_000
    /// For how many heartbeats nothing may come before a connection counts as lost.
    package var missedHeartbeats: UInt64 = 3
}

/// What may be read of rooms at once, beside what their members are shown.
package struct ReadPolicy: Sendable {
    /// How many reads a loop has under way at once for which it replays a room's log.
    package var maximumReplays = 8
    /// How many reads may wait for that.
    package var maximumWaiting = 1024
    /// How many items or changes a loop writes at once for those who read. A snapshot that has more
    /// is written in several turns; a batch that has more is replayed from the log elsewhere.
    package var itemsPerTurn = 8_192
    /// How many bytes of snapshots and batches the server has made that were asked for and not
    /// taken yet.
    package var maximumBytes = 512 << 20
    /// How many of them one connection may have asked for, if it is more than one answer.
    package var maximumBytesPerConnection = 128 << 20
}

/// What is stored of rooms, and when.
package struct StoragePolicy: Sendable {
    /// Whether the store keeps all it has in memory, which counts as the server's.
    package var isInMemory = false
    /// How much the store may have on disk, which keeps to that itself; the log says before that is
    /// reached.
    package var maximumDiskBytes: UInt64?
    /// How many bytes of log and snapshots a room may have on disk; `nil` if the disk decides.
    package var maximumRoomDiskBytes: UInt64?
    /// How long old log is kept; `nil` is for ever.
    package var historyMilliseconds: UInt64?
    /// How often old log is looked for.
    package var compactionMilliseconds: UInt64 = 600_000
    /// A snapshot is taken when so many revisions have come since the last one, less a quarter of
    /// the nodes that the room has, which take their own time to be read; or at least that quarter…
    package var snapshotRevisions: UInt64 = 500_000
    /// …or so many bytes, or a quarter of what the last snapshot has. So writing snapshots costs a
    /// small share of writing the log, and reading the log behind one takes less than a second in
    /// most rooms.
    package var snapshotBytes = 32 << 20
    /// How long a room without members stays open.
    package var idleUnloadMilliseconds: UInt64 = 60_000
}
