import SyncIO
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
    let turns = TurnCounters()
    let memory: MemoryLedger
    private let connections = Atomic<Int>(0)
    private let readBytes = Atomic<Int>(0)
    private let excavations = Atomic<Int>(0)
    private let openRooms = Atomic<Int>(0)
    private let lastConnection = Atomic<UInt64>(0)

    init(
        configuration: ServerConfiguration, store: any Store, log: any ServerLog, jobs: Jobs
    ) {
        self.configuration = configuration
        self.store = store
        self.log = log
        self.jobs = jobs
        memory = MemoryLedger(limitBytes: configuration.maximumMemoryBytes)
    }

    /// How many connections and open rooms there are.
    var connectionCount: Int { connections.load(ordering: .relaxed) }
    var openRoomCount: Int { openRooms.load(ordering: .relaxed) }

    /// Counts a connection; `false` if there are as many as there may be.
    func takeConnection() -> Bool {
        ServerContext.take(connections, atMost: configuration.maximumConnections)
    }

    /// A number for a connection, higher than those before.
    func nextConnection() -> UInt64 {
        lastConnection.add(1, ordering: .relaxed).newValue
    }

    func giveConnectionBack() {
        connections.subtract(1, ordering: .relaxed)
    }

    /// Counts bytes of answers to requests; `false` if that is too much, and not the only answer there is.
    func takeReadBytes(_ count: Int) -> Bool {
        let taken = readBytes.add(count, ordering: .relaxed).newValue
        guard taken <= configuration.maximumReadBytes || taken == count else {
            readBytes.subtract(count, ordering: .relaxed)
            return false
        }
        memory.change(.reads, by: count)
        return true
    }

    func giveReadBytesBack(_ count: Int) {
        readBytes.subtract(count, ordering: .relaxed)
        memory.change(.reads, by: -count)
    }

    /// What all loops have made for requests and is not taken yet.
    var heldReadBytes: Int { readBytes.load(ordering: .relaxed) }

    /// How many rooms are made a second time at once, for an image.
    private static let maximumExcavations = 1

    /// Counts a room that is made a second time, for an image; `false` if there is one already.
    func takeExcavation() -> Bool {
        ServerContext.take(excavations, atMost: ServerContext.maximumExcavations)
    }

    func giveExcavationBack() {
        excavations.subtract(1, ordering: .relaxed)
    }

    /// Counts an open room; `false` if there are as many as there may be.
    func takeRoom() -> Bool {
        ServerContext.take(openRooms, atMost: configuration.maximumRooms)
    }

    func giveRoomBack() {
        openRooms.subtract(1, ordering: .relaxed)
    }

    private static func take(_ count: borrowing Atomic<Int>, atMost limit: Int) -> Bool {
        let taken = count.add(1, ordering: .relaxed).newValue
        if taken <= limit { return true }
        count.subtract(1, ordering: .relaxed)
        return false
    }
}
