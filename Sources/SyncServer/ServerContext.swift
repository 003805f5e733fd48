import SyncAccess
import SyncIO
import SyncRoom
import SyncStore
import Synchronization

/// What all loops of a server share.
final class ServerContext: Sendable {
    /// The options that the server started with; for limits see ``ServerLoop/configuration``.
    let configuration: ServerConfiguration
    let store: any Store
    let log: any ServerLog
    /// `nil` if nothing is audited.
    let audit: Audit?
    /// An open port to listen on in place of the configuration's address.
    let port: (any OpenPort)?
    let gateways: [any Gateway]
    /// Does what is too long for a loop's turn: opens rooms, reads their past, and works on their
    /// states.
    let jobs: Jobs
    let pots: Pots
    /// The store's bytes on disk.
    private let stored: Monitor<Charge>
    let connections: Account
    /// The places of connections of programs that watch the server.
    let monitors = Account(limit: GatewayPurpose.mostMonitors)
    let metricsPage = MetricsPage()
    let writes = Mutex(ServerWrites())
    let revocations: RevocationTable
    let cutOffByKey = CutOffCounts()
    /// Rooms whose log is being replayed to make an image.
    let historyReplays = Account(limit: 1)
    /// Whether the last log line about memory says that it is short.
    private let isMemoryLoggedShort = Atomic<Bool>(false)
    private let lastConnection = Atomic<UInt64>(0)
    /// When the store last refused a record, in milliseconds of a loop's time; 0 if it has taken
    /// one since.
    private let storeFailure = Atomic<UInt64>(0)
    /// The store's time; `nil` until it is needed.
    private let time = Mutex<TrustedTime?>(nil)

    init(
        configuration: ServerConfiguration, store: any Store, log: any ServerLog,
        audit: (any AuditTrail)?, port: (any OpenPort)?, gateways: [any Gateway], jobs: Jobs
    ) {
        self.configuration = configuration
        self.store = store
        self.log = log
        self.audit = audit.map { Audit($0) }
        self.port = port
        self.gateways = gateways
        self.jobs = jobs
        pots = Pots(
            memory: configuration.maximumMemoryBytes,
            disk: configuration.storage.maximumDiskBytes.map { Int(clamping: $0) } ?? .max,
            rooms: configuration.maximumRooms, readPlaces: configuration.reads.maximumWaiting,
            readBytes: configuration.reads.maximumBytes)
        stored = Monitor(Charge(in: pots.disk))
        revocations = RevocationTable(configuration.revocation.revoked)
        connections = Account(limit: configuration.maximumConnections)
    }

    /// Changes the limits of what all loops share.
    func change(to configuration: ServerConfiguration) {
        pots.memory.limit = configuration.maximumMemoryBytes
        pots.rooms.limit = configuration.maximumRooms
        pots.readPlaces.limit = configuration.reads.maximumWaiting
        pots.readBytes.limit = configuration.reads.maximumBytes
        connections.limit = configuration.maximumConnections
    }

    /// A number for a connection, higher than those before.
    func nextConnection() -> UInt64 {
        lastConnection.add(1, ordering: .relaxed).newValue
    }

    /// The time by which the store's content gets old. May be called on any loop.
    func trustedTime(on loop: any EventLoop) -> TrustedTime {
        time.withLock { time in
            // The clocks are read with the lock held, so that no reading is earlier than the last.
            let reading = loop.clocks
            var now = time ?? store.time.resumed(at: reading)
            now.advance(to: reading)
            time = now
            return now
        }
    }

    /// Counts the store's bytes on disk, if they have a limit.
    func countDisk() {
        if configuration.storage.maximumDiskBytes == nil { return }
        let bytes = Int(clamping: store.usedBytes)
        stored.withLock { $0.change(to: bytes) }
    }

    /// Notes whether the store has taken a record.
    func noteAppend(isTaken: Bool, at now: UInt64) {
        // Mostly nothing changes.
        if isTaken, storeFailure.load(ordering: .relaxed) == 0 { return }
        storeFailure.store(isTaken ? 0 : max(1, now), ordering: .relaxed)
    }

    /// Whether the store does not take records: it has refused the last one, not long ago. Only
    /// another record shows whether it takes them again, so a refusal must be forgotten.
    func isStoreFailing(at now: UInt64) -> Bool {
        let failure = storeFailure.load(ordering: .relaxed)
        return failure != 0 && now - min(now, failure) < ServerContext.failureMilliseconds
    }

    private static let failureMilliseconds: UInt64 = 10_000

    /// Whether there is disk space for an image. Images only save time, so they leave an eighth of
    /// the disk to the log.
    func hasDisk(forImageOf bytes: Int) -> Bool {
        pots.disk.fits(bytes + pots.disk.limit / 8)
    }

    /// Notes the memory pressure.
    ///
    /// - Returns: whether to log it, because memory has become short, or is no longer short.
    func note(_ pressure: MemoryPressure) -> Bool {
        let isShort = pressure >= .refusesGrowth
        return isMemoryLoggedShort.exchange(isShort, ordering: .relaxed) != isShort
    }
}
