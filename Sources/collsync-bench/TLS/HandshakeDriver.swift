import TLSSupport

/// Opens connections to a server and does the handshake of TLS 1.3 on each, some at a time, on one
/// thread. A handshake is over when the server's ticket has come, so the server has done its part.
final class HandshakeDriver {
    private struct Attempt {
        let socket: Socket
        let client: OpenSSLClient
        /// Whether the client's part is over.
        var isShaken = false
    }

    /// How many handshakes are under way at once.
    private static let atOnce = 8

    private let port: UInt16
    private let clients: OpenSSLClients
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 15, alignment: 16)
    private let decrypted = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 1 << 16, alignment: 16)
    /// The session that all handshakes resume; `nil` if they are full ones.
    private var session: OpenSSLClient.Session?

    /// - Parameter resumes: whether the handshakes resume the session of a first one.
    init(port: UInt16, resumes: Bool) throws {
        self.port = port
        clients = try OpenSSLClients()
        if resumes { try makeSession() }
    }

    deinit {
        memory.deallocate()
        decrypted.deallocate()
    }

    private func makeSession() throws {
        var attempt = try begin()
        while try !advance(&attempt) {}
        session = attempt.client.session
        guard session != nil else { throw BenchError("the server gives no ticket") }
    }

    /// Does handshakes, and returns how many were done.
    func run(seconds: Double) throws -> Int {
        let sockets = SocketSet()
        func start(as number: Int) throws -> Attempt {
            let attempt = try begin()
            attempt.socket.stopWaiting()
            try sockets.add(attempt.socket, as: number)
            return attempt
        }
        var attempts = try (0..<HandshakeDriver.atOnce).map { try start(as: $0) }
        var done = 0
        let watch = Stopwatch()
        while watch.seconds < seconds {
            var isSilent = true
            try sockets.wait(milliseconds: Int32(Socket.patienceSeconds * 1000)) { number in
                isSilent = false
                guard try advance(&attempts[number]) else { return }
                guard attempts[number].client.isResumed == (session != nil) else {
                    throw BenchError("a handshake is not of the kind that is measured")
                }
                done += 1
                attempts[number] = try start(as: number)
            }
            if isSilent { throw BenchError("the server does no TLS handshake") }
        }
        return done
    }

    private func begin() throws -> Attempt {
        let client = try OpenSSLClient(clients, resuming: session)
        var attempt = Attempt(socket: try Socket(port: port), client: client)
        try shakeHands(&attempt, with: UnsafeRawBufferPointer(start: nil, count: 0))
        return attempt
    }

    /// Takes what has come, and returns whether the handshake is over on both sides.
    private func advance(_ attempt: inout Attempt) throws -> Bool {
        let received = try attempt.socket.receive(into: memory)
        if received.isEmpty { return false }
        if attempt.isShaken {
            _ = try attempt.client.decrypt(received, into: decrypted)
            return true
        }
        try shakeHands(&attempt, with: received)
        return false
    }

    private func shakeHands(
        _ attempt: inout Attempt, with received: UnsafeRawBufferPointer
    ) throws {
        attempt.isShaken = try attempt.client.shakeHands(with: received)
        try attempt.client.takeOutput().withUnsafeBytes { try attempt.socket.send($0) }
    }
}
