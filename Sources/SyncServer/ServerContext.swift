import SyncIO
import SyncRoom
import SyncStore
import Synchronization

/// What the loops of a server share.
final class ServerContext: Sendable {
    let configuration: ServerConfiguration
    let store: any Store
    let log: any ServerLog
    /// Where what takes more than a loop has in a turn is done: rooms are opened, their past is read, and their
    /// states are worked on.
    let jobs: Jobs
    /// What all loops count of their turns.
    let turns = Mutex(TurnFigures())
    /// What clients draw from together.
    let pots: Pots
    /// What the store has of the disk.
    private let stored: Monitor<Charge>
    let connections: Account
    /// Rooms that are made a second time, for an image.
    let excavations = Account(limit: 1)
    /// Whether the last thing that was said is that memory is short.
    private let isMemorySaidShort = Atomic<Bool>(false)
    private let lastConnection = Atomic<UInt64>(0)

    init(
        configuration: ServerConfiguration, store: any Store, log: any ServerLog, jobs: Jobs
    ) {
        self.configuration = configuration
        self.store = store
        self.log = log
        self.jobs = jobs
        pots = Pots(
            memory: configuration.maximumMemoryBytes,
            disk: configuration.storage.maximumDiskBytes.map { Int(clamping: $0) } ?? .max,
            rooms: configuration.maximumRooms, readPlaces: configuration.reads.maximumWaiting,
            readBytes: configuration.reads.maximumBytes)
        stored = Monitor(Charge(in: pots.disk))
        connections = Account(limit: configuration.maximumConnections)
    }

    /// A number for a connection, higher than those before.
    func nextConnection() -> UInt64 {
        lastConnection.add(1, ordering: .relaxed).newValue
    }

    /// Counts what the store has on disk, if that has a limit.
    func countDisk() {
        if configuration.storage.maximumDiskBytes == nil { return }
        let bytes = Int(clamping: store.usedBytes)
        stored.withLock { $0.change(to: bytes) }
    }

    /// Whether an image may be stored. It is there for speed alone, so it leaves an eighth of the disk for what is written.
    func hasDisk(forImageOf bytes: Int) -> Bool {
        pots.disk.fits(bytes + pots.disk.limit / 8)
    }

    /// Notes how near the limit of memory is.
    ///
    /// - Returns: whether that is to be said, as it was otherwise before.
    func note(_ pressure: MemoryPressure) -> Bool {
        let isShort = pressure >= .refusesGrowth
        return isMemorySaidShort.exchange(isShort, ordering: .relaxed) != isShort
    }
}
