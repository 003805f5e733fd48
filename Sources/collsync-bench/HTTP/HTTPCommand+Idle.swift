import TLSSupport

// WebSockets on which nothing happens.
extension HTTPCommand {
    private static let idleBytes = 8 << 10
    private static let securedIdleBytes = 24 << 10

    func addIdle(_ report: inout Report, _ scene: Scene) throws {
        let sockets = WebSocketSockets()
        try addIdle(
            "an idle WebSocket", &report, scene, options: [], most: HTTPCommand.idleBytes
        ) { try sockets.connect(to: $0) }
    }

    func addSecuredIdle(_ report: inout Report, _ scene: Scene) throws {
        let authority = try TestAuthority(keys: .p256)
        let issued = try authority.issue("server", for: TestAuthority.hosts)
        let (sockets, secured) = (WebSocketSockets(), try SecuredSockets())
        // The files of an authority are there as long as it is.
        try withExtendedLifetime(authority) {
            try addIdle(
                "an idle WebSocket over TLS", &report, scene, options: issued.serverOptions,
                most: HTTPCommand.securedIdleBytes
            ) { try sockets.connect(over: secured.connect(to: $0)) }
        }
    }

    private func addIdle(
        _ what: String, _ report: inout Report, _ scene: Scene, options: [String], most: Int,
        _ connect: (UInt16) throws -> Socket
    ) throws {
        let plain = try IdleBenchmark.bytesPerConnection(
            scene.programs, folder: scene.folder, count: connections)
        let port = try MeasuredProcess.freePort()
        let server = try scene.programs.startServer(
            data: "\(scene.folder)/idle-websocket", ["--http", "127.0.0.1:\(port)"] + options)
        let bytes = try IdleBenchmark.bytes(
            of: server, connections, connect: { _ in try connect(port) },
            { talk, _ in try talk.hello() })
        report.add(
            "\(what), of \(connections)", "\(Int(bytes)) bytes", "≤ \(most) bytes",
            "plain \(Int(plain)) bytes", isReached: Int(bytes) <= most)
    }
}
