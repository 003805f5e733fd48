import SyncWire

/// A server in figures: what it holds in memory, how much it may, and what its turns came to. Sizes are in
/// bytes; what is counted is counted since the server started.
public struct ServerStats: Sendable, Equatable {
    /// What connections hold: frames that have not come whole, input that waits, and output.
    public let connectionBytes: UInt64
    /// What rooms have under way: transactions, records, answers, and what members are sent in parts.
    public let queueBytes: UInt64
    /// Rooms: their items and sections, what they remember of the past, and their authors.
    public let roomBytes: UInt64
    /// Layouts, and what is on the screens of views.
    public let viewBytes: UInt64
    /// What members show each other, and drag.
    public let presenceBytes: UInt64
    /// Snapshots on their way to the store.
    public let storeBytes: UInt64
    /// Answers to requests that were not taken yet, and rooms replayed for them.
    public let readBytes: UInt64
    /// The most that all of these may come to; `nil` if there is no limit.
    public let memoryLimit: UInt64?
    /// How near that is: 0 far; 1 what can be made again goes; 2 only deletes are taken; 3 nothing is.
    public let pressure: UInt64
    /// How many connections there are.
    public let connections: UInt64
    /// How many rooms are open.
    public let openRooms: UInt64
    /// How many turns the loops took.
    public let turns: UInt64
    /// How many of them left work for the next one.
    public let fullTurns: UInt64
    /// The most steps of work that one has taken.
    public let largestTurn: UInt64
    /// How many transactions were applied by a worker, as they took more than a turn has.
    public let loans: UInt64
    /// How often a loop was held for longer than `--slow`.
    public let holds: UInt64
    /// Lines of the log that were dropped, as nobody read them, or left out, as there were many alike.
    public let droppedLogLines: UInt64
    /// What the store has on disk.
    public let diskBytes: UInt64
    /// The most that it may have; `nil` if there is no limit.
    public let diskLimit: UInt64?
    /// All of them with their names.
    package let named: [(name: String, value: UInt64)]

    init(_ figures: ServerFigures) {
        connectionBytes = figures.connectionBytes
        queueBytes = figures.queueBytes
        roomBytes = figures.roomBytes
        viewBytes = figures.viewBytes
        presenceBytes = figures.presenceBytes
        storeBytes = figures.storeBytes
        readBytes = figures.readBytes
        memoryLimit = figures.memoryLimit == 0 ? nil : figures.memoryLimit
        pressure = figures.pressure
        connections = figures.connections
        openRooms = figures.openRooms
        turns = figures.turns
        fullTurns = figures.fullTurns
        largestTurn = figures.largestTurn
        loans = figures.loans
        holds = figures.holds
        droppedLogLines = figures.droppedLogLines
        diskBytes = figures.diskBytes
        diskLimit = figures.diskLimit == 0 ? nil : figures.diskLimit
        named = ServerFigures.all.map { ($0.name, figures[keyPath: $0.path]) }
    }

    /// Whether all figures are the same.
    public static func == (left: ServerStats, right: ServerStats) -> Bool {
        left.named.elementsEqual(right.named) { $0.value == $1.value }
    }
}
