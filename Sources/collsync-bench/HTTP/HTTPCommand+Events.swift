// Server-sent events, beside plain connections.
extension HTTPCommand {
    private static let leastShareOfEvents = 0.6

    /// Compressed, as browsers ask for it, and plain.
    func addEvents(_ report: inout Report, _ scene: Scene) throws {
        IdleBenchmark.allowOpenFiles(2 * listeners + 100)
        try addEvents(&report, scene, compressed: true, least: HTTPCommand.leastShareOfEvents)
        try addEvents(&report, scene, compressed: false, least: nil)
    }

    private func addEvents(
        _ report: inout Report, _ scene: Scene, compressed: Bool, least: Double?
    ) throws {
        let form = compressed ? "gzip" : "plain"
        let duel = StreamDuel(
            plain: try ServedCrowd(
                scene.programs, data: "\(scene.folder)/plain-\(form)", members: listeners + 1,
                writers: 1, items: items),
            other: try ServedCrowd(
                listeningTo: scene.programs, data: "\(scene.folder)/events-\(form)",
                listeners: listeners, items: items, compressed: compressed))
        report.addRates(
            "events, \(form): edits, \(listeners) listeners, 1 writer, \(window) under way",
            try duel.play(.rate(seconds: seconds, window: window), rounds: rounds),
            members: listeners, least: least)
        report.addSnapshots(duel.other.crowd.snapshots)
    }
}

extension ServedCrowd<EventMember> {
    /// A collsync server with a room of `items` items, with one writer and many listeners.
    init(
        listeningTo programs: Programs, data: String, listeners: Int, items: Int,
        compressed: Bool
    ) throws {
        let port = try MeasuredProcess.freePort()
        let server = try programs.startServer(data: data, ["--http", "127.0.0.1:\(port)"])
        let room = try CollsyncMember.Room(filledWith: items, on: server.port)
        self.server = server
        crowd = try Crowd(members: listeners + 1, writers: 1) { number in
            let socket = try Socket(port: number == 0 ? server.port : port)
            let member =
                number == 0
                ? EventMember(writer: try CollsyncMember(entering: socket, number: 0, room: room))
                : EventMember(
                    try EventListener(entering: socket, room: room, compressed: compressed))
            return (socket, member)
        }
    }
}
