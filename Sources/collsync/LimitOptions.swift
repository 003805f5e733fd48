import ArgumentParser
import SyncRoom
import SyncServer
import SyncWire

/// The limits of clients. A client that exceeds one gets the error code that the help names. Bytes
/// may have units.
struct LimitOptions: ParsableArguments {
    @Option(help: "The most bytes a frame may have (frameTooLarge; closes the connection).")
    var maxFrameBytes = SizeArgument(bytes: 16 << 20)

    @Option(help: "The most bytes a transaction may have (limitExceeded).")
    var maxTransactionBytes = SizeArgument(bytes: 4 << 20)

    @Option(help: "The most operations a transaction may have (limitExceeded).")
    var maxTransactionOperations = 10_000

    @Option(
        help: """
            The most steps of work a transaction may take: operations, nodes and journal entries that it \
            visits, things that it deletes, and each 64 bytes of content (limitExceeded).
            """)
    var transactionSteps = 4_000_000

    @Option(
        help: """
            The most steps of work a thread does for all connections and rooms before it looks at its connections \
            again. Fewer steps mean shorter waits, more steps a higher throughput.
            """)
    var turnSteps = 32_768

    @Option(
        help: """
            The most bytes an item or a section may have in an operation, and after it (limitExceeded).
            """)
    var maxContentBytes = SizeArgument(bytes: 256 << 10)

    @Option(help: "The most fields an item or a section may have in an operation (limitExceeded).")
    var maxFields = 256

    @Option(
        help: """
            The most bytes of a transaction that may be encoded differently from a server's encoding, which take longer \
            to read (limitExceeded).
            """)
    var maxNonCanonicalBytes = SizeArgument(bytes: 64 << 10)

    @Option(help: "The most unanswered requests of a connection (limitExceeded).")
    var maxRequests = 64

    @Option(
        help: """
            The most unanswered transactions of a client in a room, up to 1024; beyond that the client is \
            not read from.
            """)
    var maxUnanswered = 1_024

    @Option(
        help: """
            The most bytes of memory for a connection: frames that come in, queued output, unanswered \
            transactions and views (connectionLimit; closes the connection), and requested answers \
            (limitExceeded). From half of it on the connection is not read from.
            """)
    var maxConnectionBytes = SizeArgument(bytes: 128 << 20)

    @Option(help: "The most views a connection may have open in a room (limitExceeded).")
    var maxViews = 16

    @Option(help: "The most elements a view may show, overscan included (limitExceeded).")
    var maxViewElements = 3_000

    @Option(
        help: "The most bytes that a connection's views may take, in all its rooms (limitExceeded)."
    )
    var maxViewBytes = SizeArgument(bytes: 8 << 20)

    @Option(help: "The most points beyond its bounds that a view may ask for (limitExceeded).")
    var maxOverscan = 1_000_000

    @Option(help: "The most layouts of a room at once (limitExceeded).")
    var maxLayouts = 64

    @Option(help: "The most drags of a room that are shared at once (limitExceeded).")
    var maxSharedDrags = 8

    @Option(help: "The most bytes of presence that a room's members may share (limitExceeded).")
    var maxPresenceBytes = SizeArgument(bytes: 16 << 20)

    @Option(
        help: """
            The most items that a member may share as selected, and as highlighted, up to 1000 (limitExceeded).
            """)
    var maxPresenceItems = PresenceLimits.mostItems

    @Option(
        help: """
            The most bytes of the custom value that a member shares, up to 4096 (limitExceeded).
            """)
    var maxPresenceValue = SizeArgument(bytes: PresenceLimits.mostCustomBytes)

    @Option(help: "The most bytes that the layouts of a room may take (limitExceeded).")
    var maxLayoutBytes = SizeArgument(bytes: 512 << 20)

    @Option(help: "The most bytes that one layout may take (limitExceeded).")
    var maxBytesPerLayout = SizeArgument(bytes: 256 << 20)

    @Option(help: "The most rooms that may be open at once (tooManyRooms).")
    var maxRooms = 10_000

    @Option(help: "The most rooms a connection may be in (limitExceeded).")
    var maxRoomsPerConnection = 64

    @Option(
        help: """
            The most bytes of memory a room may take: its items, its past and its authors; its layouts may \
            use what these leave (limitExceeded, except for deletes).
            """)
    var maxRoomBytes = SizeArgument(bytes: 2 << 30)

    @Option(
        help: """
            The most items a room may have (limitExceeded). With more than the default, edits wait longer than 100 ms \
            for a room's first layout.
            """)
    var maxItems = 3_000_000

    @Option(help: "The most sections a room may have (limitExceeded).")
    var maxSections = 100_000

    @Option(help: "The most members a room may have (limitExceeded); by default any number.")
    var maxMembers: Int?

    @Option(
        help: """
            How many transactions a second are written to a room (unavailable, with the time to wait); by \
            default any number.
            """)
    var roomTransactionsPerSecond: Int?

    @Option(
        help: """
            How many bytes of log a second are written to a room (unavailable, with the time to wait); by \
            default any number.
            """)
    var roomBytesPerSecond: SizeArgument?

    @Option(
        help: """
            How many transactions a second are written to all rooms (unavailable, with the time to wait); by \
            default any number.
            """)
    var transactionsPerSecond: Int?

    @Option(
        help: """
            How many bytes of log a second are written to all rooms (unavailable, with the time to wait); by \
            default any number.
            """)
    var bytesPerSecond: SizeArgument?

    @Option(
        help: """
            The most authors a room remembers one by one, beside its members. Of other authors it keeps only \
            as much as is needed to apply none of their transactions twice.
            """)
    var maxAuthors = 100_000

    @Option(help: "The most dead nodes a room keeps for clients that are behind.")
    var maxDeadNodes = 2_000_000

    @Option(
        help: """
            The most bytes of deleted or replaced content that a room keeps for clients that are behind. It \
            keeps such content for the last transactions with so many bytes, too.
            """)
    var maxHorizonBytes = SizeArgument(bytes: 64 << 20)

    @Option(
        help: """
            The most bytes the store may have on disk (unavailable; rooms can still be deleted). \
            By default, all but a tenth of the disk.
            """)
    var maxDisk: SizeArgument?

    @Option(
        help: """
            The most bytes of log and snapshots a room may have on disk (limitExceeded, except for deletes). \
            By default, only --max-disk limits it.
            """)
    var maxRoomDisk: SizeArgument?

    @Option(help: "The most reads of the past that may wait while others read (unavailable).")
    var maxWaitingReads = 1_024

    @Option(
        help: """
            The most bytes of requested snapshots and batches that clients have not taken yet (unavailable).
            """)
    var maxReadBytes = SizeArgument(bytes: 512 << 20)

    @Option(help: "The most of these bytes that one connection may have requested (limitExceeded).")
    var maxReadBytesPerConnection = SizeArgument(bytes: 128 << 20)

    @Option(
        help: """
            The most bytes of memory that connections and rooms may use; by default half of the machine's memory, \
            or of what the process's control group may use. From 97 % of it on, edits other than deletes are answered \
            'unavailable', and no more rooms are opened; at 100 % deletes are, too.
            """)
    var maxMemory: SizeArgument?

    @Option(help: "The most connections (tooManyConnections; closes the connection).")
    var maxConnections = 20_000

    @Option(help: "How long a connection may take to say hello (handshakeTimeout; closes it).")
    var handshakeTimeout = DurationArgument(milliseconds: 10_000)

    @Option(
        help: """
            How long a frame may take from its first byte to its last, with a second more for each 32 KiB \
            of it (frameTimeout; closes the connection).
            """)
    var frameTimeout = DurationArgument(milliseconds: 30_000)

    func validate() throws {
        func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws {
            guard !range.contains(value) else { return }
            throw ValidationError(
                "--\(name) is \(value), but must be from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        let any = 1...Int(Int32.max)
        try check("max-frame-bytes", maxFrameBytes.bytes, 1024...WireLimits.maximumFrameBytes)
        try check("max-transaction-bytes", maxTransactionBytes.bytes, 64...maxFrameBytes.bytes)
        try check("max-transaction-operations", maxTransactionOperations, any)
        try check("transaction-steps", transactionSteps, 10_000...Int(Int32.max))
        try check("turn-steps", turnSteps, 1024...1 << 24)
        try check("max-content-bytes", maxContentBytes.bytes, 64...maxFrameBytes.bytes)
        try check("max-fields", maxFields, any)
        try check("max-unanswered", maxUnanswered, 1...ServerConfiguration.maximumUnanswered)
        try check("max-non-canonical-bytes", maxNonCanonicalBytes.bytes, any)
        try check("max-requests", maxRequests, any)
        try check("max-views", maxViews, any)
        try check("max-view-elements", maxViewElements, any)
        try check("max-connection-bytes", maxConnectionBytes.bytes, (1 << 20)...Int.max / 4)
        try check("max-view-bytes", maxViewBytes.bytes, any)
        try check("max-overscan", maxOverscan, 0...1_000_000_000)
        try check("max-layouts", maxLayouts, any)
        try check("max-shared-drags", maxSharedDrags, any)
        try check("max-presence-bytes", maxPresenceBytes.bytes, any)
        try check("max-presence-items", maxPresenceItems, 1...PresenceLimits.mostItems)
        try check("max-presence-value", maxPresenceValue.bytes, 1...PresenceLimits.mostCustomBytes)
        try check("max-waiting-reads", maxWaitingReads, any)
        try check("max-layout-bytes", maxLayoutBytes.bytes, 1...Int.max)
        try check("max-bytes-per-layout", maxBytesPerLayout.bytes, 1...Int.max)
        try check("max-memory", maxMemory?.bytes ?? 1 << 30, (1 << 20)...Int.max)
        try check("max-rooms", maxRooms, any)
        try check("max-rooms-per-connection", maxRoomsPerConnection, any)
        try check("max-room-bytes", maxRoomBytes.bytes, (1 << 20)...(8 << 30))
        try check("max-items", maxItems, any)
        try check("max-sections", maxSections, any)
        try check("max-members", maxMembers ?? 1, any)
        try check("room-transactions-per-second", roomTransactionsPerSecond ?? 1, any)
        try check("room-bytes-per-second", roomBytesPerSecond?.bytes ?? 1, any)
        try check("transactions-per-second", transactionsPerSecond ?? 1, any)
        try check("bytes-per-second", bytesPerSecond?.bytes ?? 1, any)
        try check("max-authors", maxAuthors, any)
        try check("max-dead-nodes", maxDeadNodes, any)
        try check("max-horizon-bytes", maxHorizonBytes.bytes, any)
        try check("max-connections", maxConnections, any)
        try check("max-read-bytes", maxReadBytes.bytes, 1...Int.max / 4)
        try check("max-read-bytes-per-connection", maxReadBytesPerConnection.bytes, 1...Int.max / 4)
        if let maxRoomDisk { try check("max-room-disk", maxRoomDisk.bytes, 1 << 20...1 << 43) }
        if let maxDisk { try check("max-disk", maxDisk.bytes, 1 << 20...1 << 43) }
        try check("handshake-timeout", Int(handshakeTimeout.milliseconds), any)
        try check("frame-timeout", Int(frameTimeout.milliseconds), any)
    }

    func apply(to configuration: inout ServerConfiguration) {
        configuration.wire.frameBytes = maxFrameBytes.bytes
        configuration.wire.transactionBytes = maxTransactionBytes.bytes
        configuration.wire.transactionOperations = maxTransactionOperations
        configuration.wire.transactionSteps = transactionSteps
        configuration.turnSteps = turnSteps
        configuration.wire.contentBytes = maxContentBytes.bytes
        configuration.wire.contentFields = maxFields
        configuration.wire.nonCanonicalBytes = maxNonCanonicalBytes.bytes
        configuration.connections.maximumRequests = maxRequests
        configuration.wire.unansweredTransactions = maxUnanswered
        configuration.wire.views = maxViews
        configuration.wire.viewElements = maxViewElements
        configuration.connections.maximumBytes = maxConnectionBytes.bytes
        configuration.connections.maximumViewBytes = maxViewBytes.bytes
        configuration.room.maximumOverscan = maxOverscan
        configuration.room.maximumLayouts = maxLayouts
        configuration.room.maximumSharedDrags = maxSharedDrags
        configuration.room.maximumPresenceBytes = maxPresenceBytes.bytes
        configuration.wire.presence.items = maxPresenceItems
        configuration.wire.presence.customBytes = maxPresenceValue.bytes
        configuration.reads.maximumWaiting = maxWaitingReads
        configuration.room.maximumLayoutBytes = maxLayoutBytes.bytes
        configuration.room.maximumBytesOfLayout = min(maxLayoutBytes.bytes, maxBytesPerLayout.bytes)
        configuration.room.maximumBytes = maxRoomBytes.bytes
        configuration.room.maximumItems = maxItems
        configuration.room.maximumSections = maxSections
        configuration.room.maximumMembers = maxMembers
        configuration.room.writes.transactions = roomTransactionsPerSecond.map {
            Rate(perSecond: $0)
        }
        configuration.room.writes.bytes = roomBytesPerSecond.map { Rate(perSecond: $0.bytes) }
        configuration.storage.writes.transactions = transactionsPerSecond.map {
            Rate(perSecond: $0)
        }
        configuration.storage.writes.bytes = bytesPerSecond.map { Rate(perSecond: $0.bytes) }
        configuration.room.maximumAuthors = maxAuthors
        configuration.room.maximumDeadNodes = maxDeadNodes
        configuration.room.maximumHorizonBytes = maxHorizonBytes.bytes
        configuration.maximumMemoryBytes = maxMemory?.bytes ?? SystemMemory.availableBytes / 2
        configuration.maximumRooms = maxRooms
        configuration.wire.rooms = maxRoomsPerConnection
        configuration.maximumConnections = maxConnections
        configuration.reads.maximumBytes = maxReadBytes.bytes
        configuration.reads.maximumBytesPerConnection = maxReadBytesPerConnection.bytes
        configuration.storage.maximumRoomDiskBytes = maxRoomDisk.map { UInt64($0.bytes) }
        configuration.connections.handshakeTimeoutMilliseconds = handshakeTimeout.milliseconds
        configuration.connections.frameTimeoutMilliseconds = frameTimeout.milliseconds
    }
}
