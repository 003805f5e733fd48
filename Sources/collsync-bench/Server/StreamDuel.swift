import Foundation

/// Two servers, each with its crowd, that do the same work by turns. So other load on the machine
/// affects both.
struct StreamDuel<Plain: CrowdMember, Other: CrowdMember> {
    let plain: ServedCrowd<Plain>
    let other: ServedCrowd<Other>

    /// Runs both by turns, and returns the rounds sorted by their ratio.
    func play(_ exercise: Duel.Exercise, rounds: Int) throws -> [StreamRound] {
        try (0..<rounds).map { _ in
            let plain = try plain.figure(of: exercise)
            return StreamRound(plain: plain, other: try other.figure(of: exercise))
        }.sorted { $0.ratio < $1.ratio }
    }
}

/// A round of two servers: the one with plain connections, or a rival, and the one that is compared
/// with it.
struct StreamRound {
    var plain: Duel.Figure
    var other: Duel.Figure
    var ratio: Double { other.value / plain.value }
}

extension Report {
    /// Adds the rates of both sides in the round with the median ratio, and what they cost.
    ///
    /// - Parameter least: the least part of the plain server's rate; `nil` without a goal.
    mutating func addRates(
        _ what: String, _ rounds: [StreamRound], members: Int, least: Double?
    ) {
        let round = rounds[rounds.count / 2]
        add(
            what, Report.thousands(round.other.value),
            least.map { "≥ \(Report.percent($0)) of the plain server" } ?? "",
            "plain \(Report.thousands(round.plain.value)): "
                + Report.percent(round.ratio) + Report.span(rounds.map(\.ratio), Report.percent),
            isReached: least.map { round.ratio >= $0 } ?? true)
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

    /// Members that received a snapshot got all edits, but in one piece.
    mutating func addSnapshots(_ count: Int) {
        add("  members that were sent the room instead", "\(count)", "", nil)
    }

    /// Adds the latencies of both sides in the round with the median ratio.
    ///
    /// - Parameter most: how many times the plain server's it may be; `nil` without a goal.
    mutating func addLatencies(
        _ what: String, _ rounds: [StreamRound], most: Double? = nil
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
