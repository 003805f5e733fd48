import TLSSupport

/// Two collsync servers, one of them with TLS, each with its crowd. They do the same work by turns.
final class SecuredDuel {
    struct Round {
        var plain: Duel.Figure
        var secured: Duel.Figure
        var ratio: Double { secured.value / plain.value }
    }

    private let servers: (plain: MeasuredProcess, secured: MeasuredProcess)
    private let crowds: (plain: Crowd<CollsyncMember>, secured: Crowd<CollsyncMember>)
    private let sockets: SecuredSockets

    init(
        _ programs: Programs, folder: String, _ issued: TestAuthority.Issued, members: Int,
        writers: Int, items: Int
    ) throws {
        let sockets = try SecuredSockets()
        self.sockets = sockets
        servers = (
            try programs.startServer(data: "\(folder)/plain"),
            try programs.startServer(data: "\(folder)/secured", issued.serverOptions)
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
            try makeCrowd(servers.secured.port) { try sockets.connect(to: $0) }
        )
    }

    /// How many times members with TLS received a snapshot.
    var snapshots: Int { crowds.secured.snapshots }

    /// Runs both by turns, and returns the rounds sorted by their ratio.
    func play(_ exercise: Duel.Exercise, rounds: Int) throws -> [Round] {
        try (0..<rounds).map { _ in
            let plain = try servers.plain.figure(of: crowds.plain, exercise)
            return Round(
                plain: plain, secured: try servers.secured.figure(of: crowds.secured, exercise))
        }.sorted { $0.ratio < $1.ratio }
    }
}
