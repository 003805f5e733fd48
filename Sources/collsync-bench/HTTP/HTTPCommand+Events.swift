// Server-sent events, beside plain connections.
extension HTTPCommand {
    private static let leastShareOfEvents = 0.6

    func addEvents(_ report: inout Report, _ scene: Scene) throws {
        IdleBenchmark.allowOpenFiles(2 * listeners + 100)
        let duel = StreamDuel(
            plain: try ServedCrowd(
                scene.programs, data: "\(scene.folder)/plain", members: listeners + 1, writers: 1,
                items: items),
            other: try ServedCrowd(
                listeningTo: scene.programs, data: "\(scene.folder)/events", listeners: listeners,
                items: items))
        report.addRates(
            "events: edits, \(listeners) listeners, 1 writer, \(window) under way",
            try duel.play(.rate(seconds: seconds, window: window), rounds: rounds),
            members: listeners, least: HTTPCommand.leastShareOfEvents)
        report.addSnapshots(duel.other.crowd.snapshots)
    }
}

extension ServedCrowd<EventMember> {
    /// A collsync server with a room of `items` items, with one writer and many listeners.
    init(listeningTo programs: Programs, data: String, listeners: Int, items: Int) throws {
        let port = try MeasuredProcess.freePort()
        let server = try programs.startServer(data: data, ["--http", "127.0.0.1:\(port)"])
        let room = try CollsyncMember.Room(filledWith: items, on: server.port)
        self.server = server
        crowd = try Crowd(members: listeners + 1, writers: 1) { number in
            let socket = try Socket(port: number == 0 ? server.port : port)
            let member =
                number == 0
                ? EventMember(writer: try CollsyncMember(entering: socket, number: 0, room: room))
                : EventMember(try EventListener(entering: socket, room: room))
            return (socket, member)
        }
    }
}
