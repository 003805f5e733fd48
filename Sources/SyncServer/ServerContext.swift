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
            memory: configuration.maximumMemoryBytes, rooms: configuration.maximumRooms,
            readPlaces: configuration.reads.maximumWaiting,
            readBytes: configuration.reads.maximumBytes)
        connections = Account(limit: configuration.maximumConnections)
    }

    /// A number for a connection, higher than those before.
    func nextConnection() -> UInt64 {
        lastConnection.add(1, ordering: .relaxed).newValue
    }

    /// Notes how near the limit of memory is.
    ///
    /// - Returns: whether that is to be said, as it was otherwise before.
    func note(_ pressure: MemoryPressure) -> Bool {
        let isShort = pressure >= .refusesGrowth
        return isMemorySaidShort.exchange(isShort, ordering: .relaxed) != isShort
    }
}
