import TLSSupport

/// A connection of the load generator that is secured by TLS: it encrypts what it sends, and
/// decrypts what it receives.
final class SecuredSocket: Socket {
    private let maker: SecuredSockets
    private var client: OpenSSLClient?

    /// Connects and does the handshake.
    init(port: UInt16, _ maker: SecuredSockets) throws {
        self.maker = maker
        try super.init(port: port)
        let client = try OpenSSLClient(maker.clients, on: descriptor)
        var received = UnsafeRawBufferPointer(start: nil, count: 0)
        while try !client.shakeHands(with: received) {
            received = try super.receive(into: maker.memory)
            if received.isEmpty { throw BenchError("the server does not do the TLS handshake") }
        }
        self.client = client
    }

    override func sendSome(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        try client?.send(bytes) ?? 0
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
            let count = try client?.decrypt(received, into: memory) ?? 0
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
