import Foundation

/// Transactions as requests: the server beside a bare answerer, which do the same work by turns.
final class PostDuel {
    struct Round {
        var server: MeasuredProcess.Watched<Double>
        var answerer: MeasuredProcess.Watched<Double>
        var ratio: Double { server.outcome / answerer.outcome }
    }

    private let wrk: Wrk
    private let server: MeasuredProcess
    private let answerer: MeasuredProcess
    private let port: UInt16

    init(_ programs: Programs, folder: String, connections: Int, items: Int) throws {
        wrk = try Wrk(connections: connections, items: items, folder: folder)
        port = try MeasuredProcess.freePort()
        server = try programs.startServer(
            data: "\(folder)/post", ["--http", "127.0.0.1:\(port)"])
        answerer = try programs.startAnswerer(log: "\(folder)/answered")
        _ = try CollsyncMember.Room(filledWith: items, on: server.port)
    }

    /// Runs both by turns, and returns the rounds sorted by their ratio.
    func play(rounds: Int, seconds: Int) throws -> [Round] {
        try (0..<rounds).map { _ in
            let own = try server.watched { try post(to: port, seconds: seconds) }
            return Round(
                server: own,
                answerer: try answerer.watched { try post(to: answerer.port, seconds: seconds) })
        }.sorted { $0.ratio < $1.ratio }
    }

    private func post(to port: UInt16, seconds: Int) throws -> Double {
        try wrk.requestsPerSecond(
            port: port, path: "/v1/rooms/bench/transactions", seconds: seconds)
    }
}

extension Report {
    /// Adds the rates of both sides in the round with the median ratio.
    ///
    /// - Parameter least: the least part of the bare answerer's rate.
    mutating func addPosts(_ rounds: [PostDuel.Round], connections: Int, least: Double) {
        let round = rounds[rounds.count / 2]
        add(
            "POST: transactions, \(connections) connections",
            Report.thousands(round.server.outcome),
            "≥ \(Report.percent(least)) of the bare answerer",
            "bare \(Report.thousands(round.answerer.outcome)): " + Report.percent(round.ratio)
                + Report.span(rounds.map(\.ratio), Report.percent),
            isReached: round.ratio >= least)
        func cost(_ watched: MeasuredProcess.Watched<Double>) -> Double {
            watched.serverShare / watched.outcome * 1e6
        }
        add(
            "  core of the server; its time for a transaction",
            Report.percent(round.server.serverShare)
                + String(format: "; %.1f µs", cost(round.server)), "",
            Report.percent(round.answerer.serverShare)
                + String(format: "; %.1f µs", cost(round.answerer)))
    }
}
