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

    /// Receives as ``Socket`` does, and waits for a whole record if it waits. It takes at most as
    /// many bytes from the system as fit into `memory`; a record that they complete may be longer.
    override func receive(
        into memory: UnsafeMutableRawBufferPointer
    ) throws -> UnsafeRawBufferPointer {
        let hasRoom = memory.count > 2 * OpenSSLClient.recordBytes
        let plain = hasRoom ? memory : maker.record
        let limit = min(
            maker.memory.count, hasRoom ? memory.count - OpenSSLClient.recordBytes : memory.count)
        let encrypted = UnsafeMutableRawBufferPointer(rebasing: maker.memory[..<limit])
        while true {
            let received = try super.receive(into: encrypted)
            if received.isEmpty { return received }
            let count = try client.decrypt(received, into: plain)
            if count > 0 { return UnsafeRawBufferPointer(rebasing: plain[..<count]) }
        }
    }
}

/// Makes secured connections, all for one thread.
final class SecuredSockets {
    let clients: OpenSSLClients
    /// For received bytes before they are decrypted.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

    /// For decrypted bytes whose receiver takes fewer at a time than a record may have.
    let record = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 4 * OpenSSLClient.recordBytes, alignment: 16)

    init() throws {
        clients = try OpenSSLClients()
    }

    deinit {
        memory.deallocate()
        record.deallocate()
    }

    func connect(to port: UInt16) throws -> Socket {
        try SecuredSocket(port: port, self)
    }
}
