import TLSSupport

/// A connection of the load generator that is secured by TLS: it encrypts what it sends, and
/// decrypts what it receives.
final class SecuredSocket: Socket {
    private let maker: SecuredSockets
    private let client: OpenSSLClient
    /// Records that the system has not accepted, and how many bytes have become records.
    private var unsent: [UInt8] = []
    private var encryptedBytes = 0

    /// Connects and does the handshake.
    ///
    /// - Parameters: see ``Socket``.
    init(
        port: UInt16, from host: UInt8 = 1, patienceSeconds: Int = Socket.patienceSeconds,
        _ maker: SecuredSockets
    ) throws {
        self.maker = maker
        client = try OpenSSLClient(maker.clients)
        try super.init(port: port, from: host, patienceSeconds: patienceSeconds)
        var isShaken = try client.shakeHands(with: UnsafeRawBufferPointer(start: nil, count: 0))
        while true {
            // It fits into the socket, which is empty.
            _ = try client.takeOutput().withUnsafeBytes { try super.sendSome($0) }
            if isShaken { break }
            let received = try super.receive(into: maker.memory)
            if received.isEmpty { throw BenchError("the server does not do the TLS handshake") }
            isShaken = try client.shakeHands(with: received)
        }
    }

    /// Sends all at once, as a plain socket does, or else accepts nothing until all of it is sent.
    override func sendSome(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        try client.encrypt(UnsafeRawBufferPointer(rebasing: bytes[encryptedBytes...]))
        encryptedBytes = bytes.count
        unsent += client.takeOutput()
        let count = try unsent.withUnsafeBytes { try super.sendSome($0) }
        unsent.removeFirst(count)
        guard unsent.isEmpty else { return 0 }
        defer { encryptedBytes = 0 }
        return encryptedBytes
    }

    /// Receives as ``Socket`` does, and waits for a whole record if it waits.
    override func receive(
        into memory: UnsafeMutableRawBufferPointer
    ) throws -> UnsafeRawBufferPointer {
        let limit = min(maker.memory.count, memory.count - OpenSSLClient.recordBytes)
        let encrypted = UnsafeMutableRawBufferPointer(rebasing: maker.memory[..<limit])
        while true {
            let received = try super.receive(into: encrypted)
            if received.isEmpty { return received }
            let count = try client.decrypt(received, into: memory)
            if count > 0 { return UnsafeRawBufferPointer(rebasing: memory[..<count]) }
        }
    }
}

/// Makes secured connections, all for one thread.
final class SecuredSockets {
    let clients: OpenSSLClients
    /// For received bytes before they are decrypted.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

    init() throws {
        clients = try OpenSSLClients()
    }

    deinit {
        memory.deallocate()
    }

    func connect(to port: UInt16) throws -> Socket {
        try SecuredSocket(port: port, self)
    }
}
