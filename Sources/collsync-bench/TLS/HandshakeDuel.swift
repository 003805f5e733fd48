import TLSSupport

/// Handshakes of a collsync server beside those of `openssl s_server`, which serves one connection
/// after the other, by turns.
struct HandshakeDuel {
    private let server: MeasuredProcess
    private let rival: MeasuredProcess

    init(_ programs: Programs, folder: String, _ issued: TestAuthority.Issued) throws {
        server = try programs.startServer(data: "\(folder)/handshakes", issued.serverOptions)
        let port = try MeasuredProcess.freePort()
        rival = try MeasuredProcess(
            [
                "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-tls1_3", "-num_tickets",
                "1", "-rev", "-cert", issued.certificate, "-key", issued.key,
            ], onPort: port, programs.cores)
    }

    struct Round {
        var collsync: Figure
        var rival: Figure
        var ratio: Double { collsync.perSecond / rival.perSecond }
    }

    struct Figure {
        var perSecond: Double
        /// The processor time of the server for each handshake.
        var serverMicroseconds: Double
        var generatorShare: Double
    }

    /// Runs both by turns, and returns the rounds sorted by their ratio.
    func play(resumed: Bool, seconds: Double, rounds: Int) throws -> [Round] {
        try (0..<rounds).map { _ in
            Round(
                collsync: try HandshakeDuel.figure(of: server, resumed, seconds),
                rival: try HandshakeDuel.figure(of: rival, resumed, seconds))
        }.sorted { $0.ratio < $1.ratio }
    }

    private static func figure(
        of server: MeasuredProcess, _ resumed: Bool, _ seconds: Double
    ) throws -> Figure {
        let driver = try HandshakeDriver(port: server.port, resumes: resumed)
        let watched = try server.watched { try driver.run(seconds: seconds) }
        let count = Double(max(watched.outcome, 1))
        return Figure(
            perSecond: count / watched.seconds,
            serverMicroseconds: watched.serverShare * watched.seconds / count * 1e6,
            generatorShare: watched.generatorShare)
    }
}

extension TestAuthority.Issued {
    /// What makes a collsync server speak TLS with this certificate.
    var serverOptions: [String] { ["--tls-cert", certificate, "--tls-key", key] }
}
