package import SyncIO

/// An open port in a simulation.
package final class SimulatedListener: Listener, SimulatedResource {
    package let address: SocketAddress
    let loop: SimulatedLoop
    private let network: SimulatedNetwork
    private var incoming: ((any IncomingStream) -> Void)?
    private var waiting: [SimulatedStream] = []

    /// Whether the process accepts connections. If not, the system still completes them, as for a
    /// process that hangs, but nothing answers.
    package var isAccepting = true {
        didSet { if isAccepting { acceptWaiting() } }
    }

    init(
        on address: SocketAddress, loop: SimulatedLoop, network: SimulatedNetwork,
        incoming: @escaping (any IncomingStream) -> Void
    ) {
        self.address = address
        self.loop = loop
        self.network = network
        self.incoming = incoming
    }

    func answers(at other: SocketAddress) -> Bool {
        other.port == address.port
            && (hostsEveryAddress || canonicalHost == SimulatedListener.canonical(other.host))
    }

    func collides(with other: SocketAddress) -> Bool {
        answers(at: other)
            || other.port == address.port && SimulatedListener.everyAddress.contains(other.host)
    }

    private static let everyAddress = ["0.0.0.0", "::"]
    private var hostsEveryAddress: Bool { SimulatedListener.everyAddress.contains(address.host) }
    private var canonicalHost: String { SimulatedListener.canonical(address.host) }

    private static func canonical(_ host: String) -> String {
        host == "localhost" ? "127.0.0.1" : host
    }

    /// Queues the end of a new connection for the loop.
    func take(_ stream: SimulatedStream) {
        waiting.append(stream)
        acceptWaiting()
    }

    private func acceptWaiting() {
        guard !waiting.isEmpty else { return }
        loop.soon { [self] in
            guard isAccepting, let incoming else { return }
            let streams = waiting
            waiting = []
            for stream in streams { incoming(SimulatedIncoming(stream)) }
        }
    }

    package func close() {
        guard incoming != nil else { return }
        shut()
        loop.soon { [self] in loop.didClose(self) }
    }

    private func shut() {
        incoming = nil
        network.didClose(self)
        for stream in waiting { stream.close() }
        waiting = []
    }

    func closeWithLoop() {
        close()
    }

    func abandon() {
        shut()
    }
}

/// The end of a connection that no loop has accepted yet.
private final class SimulatedIncoming: IncomingStream, @unchecked Sendable {
    // Sendable, like everything in a simulation: a check ensures that only one thread uses it.
    private var stream: SimulatedStream?

    init(_ stream: SimulatedStream) {
        self.stream = stream
    }

    deinit {
        stream?.closeIfUnused()
    }

    func take(on loop: any EventLoop, _ accept: (any ByteStream) -> Void) {
        guard let loop = loop as? SimulatedLoop, let stream, stream.isOpen else { return }
        self.stream = nil
        stream.move(to: loop)
        accept(stream)
        stream.closeIfUnused()
    }
}
