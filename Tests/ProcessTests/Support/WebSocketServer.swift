import Testing

/// A server whose WebSockets are used, plainly or by TLS.
final class WebSocketServer {
    let process: ServerProcess
    /// The options of a program that connects.
    let options: [String]
    private let secured: SecuredServer?

    init(isSecured: Bool, _ options: [String] = []) throws {
        if isSecured {
            let secured = try SecuredServer(options, speaksHTTP: true)
            self.secured = secured
            process = secured.process
            self.options = try secured.options()
        } else {
            secured = nil
            process = try ServerProcess(options, speaksHTTP: true)
            self.options = []
        }
    }

    /// - Parameter path: the path, if not the usual one.
    func url(_ path: String = "") throws -> String {
        "\(secured == nil ? "ws" : "wss")://127.0.0.1:\(try #require(process.httpPort))\(path)"
    }

    /// Runs a command over a WebSocket.
    func run(_ arguments: [String], input: String = "") throws -> CommandResult {
        try CommandResult.client(
            ["--server", try url()] + arguments + options, input: input)
    }

    /// Joins a room over a WebSocket.
    func join(
        _ name: String, room: String = "room1", mayLoseConnection: Bool = false,
        _ more: [String] = []
    ) throws -> JoinProcess {
        try JoinProcess(
            name, room: room, at: try url(), mayLoseConnection: mayLoseConnection, options + more)
    }
}
