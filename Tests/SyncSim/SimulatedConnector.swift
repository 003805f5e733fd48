import SyncIO

/// One simulated `connect`: it retries until a port answers, for ten seconds.
final class SimulatedConnector: SimulatedResource {
    private static let attemptMicroseconds: UInt64 = 10_000_000
    private static let retryMicroseconds: UInt64 = 1_000_000

    private let address: SocketAddress
    private let loop: SimulatedLoop
    private let network: SimulatedNetwork
    private var completion: ((Result<any ByteStream, IOError>) -> Void)?
    private var begun: UInt64 = 0
    private var isGivenUp = false

    init(
        to address: SocketAddress, on loop: SimulatedLoop, network: SimulatedNetwork,
        completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        self.address = address
        self.loop = loop
        self.network = network
        self.completion = completion
    }

    private var simulation: Simulation { network.simulation }

    func start() {
        begun = simulation.nowMicroseconds
        simulation.after(microseconds: network.delayMicroseconds) { [self] in ask() }
    }

    private func ask() {
        guard !isGivenUp else { return }
        guard let listener = network.listener(at: address) else {
            return answer(.failure(.unreachable("\(address): connection refused")))
        }
        guard !network.isPartitioned(loop.platform.host, from: listener.loop.platform.host) else {
            if simulation.nowMicroseconds - begun >= SimulatedConnector.attemptMicroseconds {
                return answer(.failure(.unreachable("\(address): no answer")))
            }
            simulation.after(microseconds: SimulatedConnector.retryMicroseconds) { [self] in ask() }
            return
        }
        let (client, server) = SimulatedConnection.make(from: loop, to: listener, network: network)
        listener.take(server)
        answer(.success(client))
    }

    private func answer(_ result: Result<SimulatedStream, IOError>) {
        simulation.after(microseconds: network.delayMicroseconds) { [self] in
            loop.soon { [self] in finish(result) }
        }
    }

    private func finish(_ result: Result<SimulatedStream, IOError>) {
        guard let completion else { return }
        self.completion = nil
        completion(result.map { $0 as any ByteStream })
        if case .success(let stream) = result { stream.closeIfUnused() }
        loop.didClose(self)
    }

    func closeWithLoop() {
        isGivenUp = true
        loop.soon { [self] in
            finish(.failure(.unreachable("\(address): the loop has stopped")))
        }
    }

    func abandon() {
        isGivenUp = true
        completion = nil
    }
}
