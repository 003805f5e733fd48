/// A server and the crowd that is its load.
struct ServedCrowd<Member: CrowdMember> {
    let server: MeasuredProcess
    let crowd: Crowd<Member>

    /// The result of a round.
    func figure(of exercise: Duel.Exercise) throws -> Duel.Figure {
        try server.figure(of: crowd, exercise)
    }
}

/// How a collsync server is spoken to in the frames of the protocol.
struct ServerDoor {
    var options: [String] = []
    /// The port to connect to; `nil` for the one of plain connections.
    var port: UInt16?
    let connect: (UInt16) throws -> Socket

    /// Without TLS or WebSocket.
    static var plain: ServerDoor { ServerDoor { try Socket(port: $0) } }
}

extension ServedCrowd<CollsyncMember> {
    /// A collsync server with a room of `items` items, in which all members are.
    ///
    /// - Parameter data: the server's folder.
    init(
        _ programs: Programs, data: String, _ door: ServerDoor = .plain, members: Int, writers: Int,
        items: Int
    ) throws {
        server = try programs.startServer(data: data, door.options)
        let port = door.port ?? server.port
        let room = try CollsyncMember.Room(filledWith: items, on: try door.connect(port))
        crowd = try Crowd(members: members, writers: writers, port: port, connect: door.connect) {
            try CollsyncMember(entering: $0, number: $1, room: room)
        }
    }
}

extension StreamDuel<CollsyncMember, CollsyncMember> {
    /// Two collsync servers, each with a crowd of the same size.
    init(
        _ programs: Programs, folder: String, _ door: ServerDoor, members: Int, writers: Int,
        items: Int
    ) throws {
        plain = try ServedCrowd(
            programs, data: "\(folder)/plain", members: members, writers: writers, items: items)
        other = try ServedCrowd(
            programs, data: "\(folder)/other", door, members: members, writers: writers,
            items: items)
    }
}
