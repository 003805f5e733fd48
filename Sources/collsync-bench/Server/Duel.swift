import SyncModel
import SyncWire

/// A collsync server and a bare broadcaster, each with its crowd, doing the same by turns: so that
/// what else the machine does meanwhile meets both.
final class Duel {
    /// What both do in a round.
    enum Exercise {
        /// Edits a second, with so many of each writer under way.
        case rate(seconds: Double, window: Int)
        /// The median of the times, over some edits one after the other, until the last member has
        /// it.
        case latency(edits: Int)
    }

    /// What one side did in one round, and how much of their cores it and the generator took.
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

    /// How often members of the room fell so far behind that they were sent all of it.
    var snapshots: Int { members.snapshots }

    /// Has both do the same, by turns, and gives the rounds in order of their ratio.
    func play(_ exercise: Exercise, rounds: Int) throws -> [Round] {
        try (0..<rounds).map { _ in
            let collsync = try figure(of: members, at: server, exercise)
            return Round(
                collsync: collsync,
                broadcaster: try figure(of: listeners, at: broadcaster, exercise))
        }.sorted { $0.ratio < $1.ratio }
    }

    private func figure<Member: CrowdMember>(
        of crowd: Crowd<Member>, at process: MeasuredProcess, _ exercise: Exercise
    ) throws -> Figure {
        let watched = try process.watched {
            switch exercise {
            case .rate(let seconds, let window):
                return try crowd.run(.init(window: window, seconds: seconds)).perSecond
            case .latency(let edits):
                let latencies = try crowd.latencies(edits: edits).sorted()
                return latencies[latencies.count / 2]
            }
        }
        return Figure(
            value: watched.outcome, serverShare: watched.serverShare,
            generatorShare: watched.generatorShare)
    }
}

extension CollsyncMember.Room {
    /// Makes a room of so many items on a server.
    init(filledWith items: Int, on port: UInt16) throws {
        let talk = Talk(try Socket(port: port))
        try talk.hello()
        guard let name = RoomName("bench") else { throw BenchError("a room has a name") }
        let filled = try talk.fill(name, items: items)
        self.init(
            name: name, revision: filled.revision, origin: filled.origin,
            pool: try EditPool(items: items, seed: 1))
    }
}
