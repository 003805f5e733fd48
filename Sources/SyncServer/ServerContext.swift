import SyncIO
import SyncRoom
import SyncStore
import Synchronization

final class ServerContext: Sendable {
    let configuration: ServerConfiguration
    let store: any Store
    let log: any ServerLog
    /// Where what takes more than a loop has in a turn is done: rooms are opened, their past is
    /// read, and their states are worked on.
    let jobs: Jobs
    /// What all loops count of their turns.
    let turns = Mutex(TurnFigures())
    let pots: Pots
    /// What the store has of the disk.
    private let stored: Monitor<Charge>
    let connections: Account
    /// Rooms that are made a second time, for an image.
    let historyReplays = Account(limit: 1)
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

    /// Whether an image may be stored. It is there for speed alone, so it leaves an eighth of the
    /// disk for what is written.
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

/// What the turns of all loops came to, since the server started.
package struct TurnFigures: Sendable, Equatable {
    /// How many there were.
    package var turns = 0
    /// How many left work for the next one.
    package var fullTurns = 0
    /// The steps that those have taken.
    package var fullSteps = 0
    /// The most steps that one has taken.
    package var largestTurn = 0
    /// The most steps that a phase has taken of one, in the phases' order.
    package var largestPhases = [Int](repeating: 0, count: TurnPhase.allCases.count)
    /// How many held their loop for longer than they should.
    package var holds = 0
    /// How often a worker had a room's state, for what takes more than a turn has.
    package var loans = 0

    mutating func addTurn(steps: Int, of phases: [Int], isFull: Bool) {
        turns += 1
        if isFull {
            fullTurns += 1
            fullSteps += steps
        }
        largestTurn = max(largestTurn, steps)
        for index in phases.indices {
            largestPhases[index] = max(largestPhases[index], phases[index])
        }
    }
}
