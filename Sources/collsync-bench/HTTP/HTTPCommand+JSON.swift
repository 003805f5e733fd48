// The lines of JSON over WebSocket, beside plain connections.
extension HTTPCommand {
    private static let leastShareOfJSON = 0.4

    func addJSON(_ report: inout Report, _ scene: Scene) throws {
        let duel = StreamDuel(
            plain: try ServedCrowd(
                scene.programs, data: "\(scene.folder)/plain", members: members, writers: writers,
                items: items),
            other: try ServedCrowd(
                speakingJSONTo: scene.programs, data: "\(scene.folder)/json", members: members,
                writers: writers, items: items))
        report.addRates(
            "JSON: \(crowdText)",
            try duel.play(.rate(seconds: seconds, window: window), rounds: rounds),
            members: members, least: HTTPCommand.leastShareOfJSON)
        report.addSnapshots(duel.other.crowd.snapshots)
    }
}

extension ServedCrowd<JSONMember> {
    /// A collsync server with a room of `items` items, in which all members are.
    init(
        speakingJSONTo programs: Programs, data: String, members: Int, writers: Int, items: Int
    ) throws {
        let port = try MeasuredProcess.freePort()
        server = try programs.startServer(data: data, ["--http", "127.0.0.1:\(port)"])
        let room = try JSONMember.Room(
            CollsyncMember.Room(filledWith: items, on: server.port), items: items)
        crowd = try Crowd(members: members, writers: writers, port: port) {
            try JSONMember(entering: $0, number: $1, room: room)
        }
    }
}
