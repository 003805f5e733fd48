// The frames of the protocol over WebSocket, beside plain connections.
extension HTTPCommand {
    private static let leastShare = 0.8
    private static let mostLatency = 1.2

    func addRate(_ report: inout Report, _ scene: Scene) throws {
        let duel = try duel(scene)
        report.addRates(
            "WebSocket: \(crowdText)",
            try duel.play(.rate(seconds: seconds, window: window), rounds: rounds),
            members: members, least: HTTPCommand.leastShare)
        report.addSnapshots(duel.other.crowd.snapshots)
    }

    func addLatency(_ report: inout Report, _ scene: Scene) throws {
        let edits = max(10, Int(seconds * 1000))
        report.addLatencies(
            "WebSocket: one edit to the last of \(members) members, median",
            try duel(scene).play(.latency(edits: edits), rounds: rounds),
            most: HTTPCommand.mostLatency)
    }

    private func duel(_ scene: Scene) throws -> StreamDuel<CollsyncMember, CollsyncMember> {
        try StreamDuel(
            scene.programs, folder: scene.folder, .webSocket(), members: members,
            writers: writers, items: items)
    }

    var crowdText: String {
        "edits, \(members) members, \(writers) writers, \(window) under way each"
    }
}

extension ServerDoor {
    /// By WebSocket, on a port of its own.
    static func webSocket() throws -> ServerDoor {
        let (sockets, port) = (WebSocketSockets(), try MeasuredProcess.freePort())
        return ServerDoor(
            options: ["--http", "127.0.0.1:\(port)"], port: port, connect: sockets.connect)
    }
}
