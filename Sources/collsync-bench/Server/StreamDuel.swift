import Foundation

/// Two collsync servers, one of which is spoken to in another way, by TLS or by WebSocket, each
/// with its crowd. They do the same work by turns.
final class StreamDuel {
    struct Round {
        var plain: Duel.Figure
        var other: Duel.Figure
        var ratio: Double { other.value / plain.value }
    }

    /// How the other server is spoken to.
    struct Way {
        var options: [String] = []
        /// The port to connect to; `nil` for the one of plain connections.
        var port: UInt16?
        let connect: (UInt16) throws -> Socket
    }

    private let servers: (plain: MeasuredProcess, other: MeasuredProcess)
    private let crowds: (plain: Crowd<CollsyncMember>, other: Crowd<CollsyncMember>)

    init(
        _ programs: Programs, folder: String, _ way: Way, members: Int, writers: Int, items: Int
    ) throws {
        servers = (
            try programs.startServer(data: "\(folder)/plain"),
            try programs.startServer(data: "\(folder)/other", way.options)
        )
        func makeCrowd(
            _ port: UInt16, _ connect: (UInt16) throws -> Socket
        ) throws -> Crowd<CollsyncMember> {
            let room = try CollsyncMember.Room(filledWith: items, on: try connect(port))
            return try Crowd(members: members, writers: writers, port: port, connect: connect) {
                try CollsyncMember(entering: $0, number: $1, room: room)
            }
        }
        crowds = (
            try makeCrowd(servers.plain.port) { try Socket(port: $0) },
            try makeCrowd(way.port ?? servers.other.port, way.connect)
        )
    }

    /// How many times members of the other server received a snapshot.
    var snapshots: Int { crowds.other.snapshots }

    /// Runs both by turns, and returns the rounds sorted by their ratio.
    func play(_ exercise: Duel.Exercise, rounds: Int) throws -> [Round] {
        try (0..<rounds).map { _ in
            let plain = try servers.plain.figure(of: crowds.plain, exercise)
            return Round(
                plain: plain, other: try servers.other.figure(of: crowds.other, exercise))
        }.sorted { $0.ratio < $1.ratio }
    }
}

extension Report {
    /// Adds the rates of both sides in the round with the median ratio, and what they cost.
    ///
    /// - Parameter least: the least part of the plain server's rate.
    mutating func addRates(
        _ what: String, _ rounds: [StreamDuel.Round], members: Int, least: Double
    ) {
        let round = rounds[rounds.count / 2]
        add(
            what, Report.thousands(round.other.value),
            "≥ \(Report.percent(least)) of the plain server",
            "plain \(Report.thousands(round.plain.value)): "
                + Report.percent(round.ratio) + Report.span(rounds.map(\.ratio), Report.percent),
            isReached: round.ratio >= least)
        addShares(round.other, beside: round.plain)
        func nanoseconds(_ figure: Duel.Figure) -> Double {
            figure.serverShare / figure.value / Double(members) * 1e9
        }
        let costs = rounds.map { nanoseconds($0.other) / nanoseconds($0.plain) }.sorted()
        add(
            "  the server's processor time for an edit to a member",
            String(format: "%.2f ns", nanoseconds(round.other)), "",
            String(format: "plain %.2f ns: ", nanoseconds(round.plain))
                + Report.times(costs[costs.count / 2]) + Report.span(costs, Report.times))
    }

    /// Adds the latencies of both sides in the round with the median ratio.
    ///
    /// - Parameter most: how many times the plain server's it may be; `nil` without a goal.
    mutating func addLatencies(
        _ what: String, _ rounds: [StreamDuel.Round], most: Double? = nil
    ) {
        let round = rounds[rounds.count / 2]
        add(
            what, Report.milliseconds(round.other.value),
            most.map { "≤ \(Report.times($0)) of the plain server" } ?? "",
            "plain \(Report.milliseconds(round.plain.value)): "
                + Report.times(round.ratio) + Report.span(rounds.map(\.ratio), Report.times),
            isReached: most.map { round.ratio <= $0 } ?? true)
        addShares(round.other, beside: round.plain)
    }
}
