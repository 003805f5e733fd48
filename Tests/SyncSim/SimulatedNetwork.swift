package import SyncIO

/// The network between the platforms of a simulation. It has one address space: every platform can
/// reach every port, unless their machines are partitioned from each other.
package final class SimulatedNetwork {
    unowned let simulation: Simulation
    private var listeners: [SimulatedListener] = []
    private var partitions: [(String, String)] = []
    private var nextPort: UInt16 = 49_152

    /// The connections that at least one side still has open, oldest first.
    package private(set) var connections: [SimulatedConnection] = []

    /// The greatest backlog in bytes of an accepting side, whose system accepted no more.
    package private(set) var largestServerBacklogBytes = 0
    /// The same for a connecting side.
    package private(set) var largestClientBacklogBytes = 0

    init(simulation: Simulation) {
        self.simulation = simulation
    }

    func note(backlogBytes count: Int, on side: SimulatedConnection.Side) {
        switch side {
        case .client: largestClientBacklogBytes = max(largestClientBacklogBytes, count)
        case .server: largestServerBacklogBytes = max(largestServerBacklogBytes, count)
        }
    }

    // MARK: Faults

    /// Partitions two machines. Connections stay open; bytes in flight wait.
    package func partition(_ host: String, from other: String) {
        partitions.append((host, other))
    }

    /// Ends a partition.
    package func heal(_ host: String, with other: String) {
        partitions.removeAll { $0 == (host, other) || $0 == (other, host) }
        for connection in connections { connection.resume() }
    }

    /// Ends all partitions.
    package func heal() {
        partitions = []
        for connection in connections { connection.resume() }
    }

    package func isPartitioned(_ host: String, from other: String) -> Bool {
        partitions.contains { $0 == (host, other) || $0 == (other, host) }
    }

    // MARK: Ports

    /// The open port at an address, for example to make it stop accepting.
    package func listener(at address: SocketAddress) -> SimulatedListener? {
        listeners.first { $0.answers(at: address) }
    }

    func listen(
        on address: SocketAddress, loop: SimulatedLoop,
        incoming: @escaping (any IncomingStream) -> Void
    ) throws(IOError) -> SimulatedListener {
        var address = address
        if address.port == 0 { address.port = takePort() }
        guard !listeners.contains(where: { $0.collides(with: address) }) else {
            throw .addressInUse(address.description)
        }
        let listener = SimulatedListener(
            on: address, loop: loop, network: self, incoming: incoming)
        listeners.append(listener)
        loop.didOpen(listener)
        return listener
    }

    func didClose(_ listener: SimulatedListener) {
        listeners.removeAll { $0 === listener }
    }

    /// A port that is not used elsewhere, as long as there are any left.
    func takePort() -> UInt16 {
        defer { nextPort = nextPort == .max ? 49_152 : nextPort + 1 }
        return nextPort
    }

    // MARK: Connections

    func didOpen(_ connection: SimulatedConnection) {
        connections.append(connection)
    }

    func didClose(_ connection: SimulatedConnection) {
        connections.removeAll { $0 === connection }
    }

    var delayMicroseconds: UInt64 {
        simulation.random(in: simulation.conditions.networkDelayMicroseconds)
    }
}
