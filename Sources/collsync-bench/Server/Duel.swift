import SyncModel
import SyncWire

/// A collsync server and a bare broadcaster, each with its crowd, which do the same work by turns.
/// So other load on the machine affects both.
final class Duel {
    /// The work of a round.
    enum Exercise {
        /// Edits a second, with `window` edits of each writer in flight.
        case rate(seconds: Double, window: Int)
        /// The median time until the last member has an edit, over some edits one after the other.
        case latency(edits: Int)
    }

    /// The result of one side in one round, and the shares of their cores that the server and the
    /// generator used.
    struct Figure {
        var value: Double
        var serverShare: Double
        var generatorShare: Double
    }

    struct Round {
        var collsync: Figure
        var broadcaster: Figure
        var ratio: Double { collsync.value / broadcaster.value }
    }

    private let server: MeasuredProcess
    private let broadcaster: MeasuredProcess
    private let members: Crowd<CollsyncMember>
    private let listeners: Crowd<BroadcastMember>

    init(_ programs: Programs, folder: String, members count: Int, writers: Int, items: Int) throws
    {
        server = try programs.startServer(data: "\(folder)/data-\(count)")
        broadcaster = try programs.startBroadcaster(log: "\(folder)/log-\(count)")
        let room = try CollsyncMember.Room(filledWith: items, on: server.port)
        members = try Crowd(members: count, writers: writers, port: server.port) {
            try CollsyncMember(entering: $0, number: $1, room: room)
        }
        listeners = try Crowd(members: count, writers: writers, port: broadcaster.port) {
            try BroadcastMember(entering: $0, number: $1, of: count)
        }
    }

    /// How many times members of the room fell so far behind that they received a snapshot.
    var snapshots: Int { members.snapshots }

    /// Runs both by turns, and returns the rounds sorted by their ratio.
    func play(_ exercise: Exercise, rounds: Int) throws -> [Round] {
        try (0..<rounds).map { _ in
            let collsync = try server.figure(of: members, exercise)
            return Round(
                collsync: collsync, broadcaster: try broadcaster.figure(of: listeners, exercise))
        }.sorted { $0.ratio < $1.ratio }
    }
}

extension MeasuredProcess {
    /// The result of a round of this server and its crowd.
    func figure<Member: CrowdMember>(
        of crowd: Crowd<Member>, _ exercise: Duel.Exercise
    ) throws -> Duel.Figure {
        let watched = try watched {
            switch exercise {
            case .rate(let seconds, let window):
                return try crowd.run(.init(window: window, seconds: seconds)).perSecond
            case .latency(let edits):
                let latencies = try crowd.latencies(edits: edits).sorted()
                return latencies[latencies.count / 2]
            }
        }
        return Duel.Figure(
            value: watched.outcome, serverShare: watched.serverShare,
            generatorShare: watched.generatorShare)
    }
}

extension CollsyncMember.Room {
    /// Makes a room of `items` items on a server.
    init(filledWith items: Int, on port: UInt16) throws {
        try self.init(filledWith: items, on: Socket(port: port))
    }

    init(filledWith items: Int, on socket: Socket) throws {
        let talk = Talk(socket)
        try talk.hello()
        guard let name = RoomName("bench") else { throw BenchError("a room has a name") }
        let filled = try talk.fill(name, items: items)
        self.init(
            name: name, revision: filled.revision, origin: filled.origin,
            pool: try EditPool(items: items, seed: 1))
    }
}

extension Report {
    /// Adds what both programs used of their cores, which says what was the limit.
    mutating func addShares(_ figure: Duel.Figure, beside other: Duel.Figure) {
        func shares(_ figure: Duel.Figure) -> String {
            "\(Report.percent(figure.serverShare)) / \(Report.percent(figure.generatorShare))"
        }
        add("  core of the server / of the generator", shares(figure), "", shares(other))
    }
}
