// The frames of the protocol over WebSocket, beside y-websocket.
extension HTTPCommand {
    private static let leastOfYjs = 100.0
    /// Each round takes y-websocket many seconds, and the ratio is large.
    private static let roundsOfYjs = 3

    func addYjs(_ report: inout Report, _ scene: Scene) throws {
        let (name, what) = (RivalServer.yWebsocket.rawValue, "beside y-websocket: \(crowdText)")
        guard RivalServer.yWebsocket.isThere else {
            return report.add(what, "", "", "absent: \(RivalServer.yWebsocket.package)")
        }
        let duel = StreamDuel(
            plain: try ServedCrowd(
                yjsIn: scene.folder, on: scene.programs.cores, members: members, writers: writers),
            other: try ServedCrowd(
                scene.programs, data: "\(scene.folder)/other", .webSocket(), members: members,
                writers: writers, items: items))
        let rounds = try duel.play(
            .rate(seconds: seconds, window: window), rounds: min(rounds, HTTPCommand.roundsOfYjs))
        let round = rounds[rounds.count / 2]
        report.add(
            what, Report.thousands(round.other.value), "≥ \(Report.ratio(HTTPCommand.leastOfYjs))",
            "\(name) \(Report.thousands(round.plain.value)): \(Report.ratio(round.ratio))"
                + Report.span(rounds.map(\.ratio), Report.ratio),
            isReached: round.ratio >= HTTPCommand.leastOfYjs)
        report.addShares(round.other, beside: round.plain)
    }
}

extension ServedCrowd<YjsMember> {
    /// A y-websocket server with a document that all members share.
    init(yjsIn folder: String, on cores: Cores, members: Int, writers: Int) throws {
        server = try RivalServer.yWebsocket.start(folder: folder, on: cores)
        crowd = try Crowd(members: members, writers: writers, port: server.port) {
            try YjsMember(entering: $0, number: $1)
        }
    }
}
