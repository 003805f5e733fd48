package import SyncIO

/// An open port in a simulation.
package final class SimulatedListener: Listener, SimulatedResource {
    package let address: SocketAddress
    let loop: SimulatedLoop
    private let network: SimulatedNetwork
    private var accept: ((any ByteStream) -> Void)?
    private var waiting: [SimulatedStream] = []

    /// Whether connections are taken. While not, they are made, as a system makes them for a
    /// process that hangs, but nobody answers.
    package var isAccepting = true {
        didSet { if isAccepting { acceptWaiting() } }
    }

    init(
        on address: SocketAddress, loop: SimulatedLoop, network: SimulatedNetwork,
        accept: @escaping (any ByteStream) -> Void
    ) {
        self.address = address
        self.loop = loop
        self.network = network
        self.accept = accept
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

    /// Has the loop take a new connection's end.
    func take(_ stream: SimulatedStream) {
        waiting.append(stream)
        acceptWaiting()
    }

    private func acceptWaiting() {
        guard !waiting.isEmpty else { return }
        loop.soon { [self] in
            guard isAccepting, let accept else { return }
            let streams = waiting
            waiting = []
            for stream in streams {
                accept(stream)
                stream.closeIfUnused()
            }
        }
    }

    package func close() {
        guard accept != nil else { return }
        shut()
        loop.soon { [self] in loop.didClose(self) }
    }

    private func shut() {
        accept = nil
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
