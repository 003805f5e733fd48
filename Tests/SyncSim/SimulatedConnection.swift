import SyncIO

/// A connection in a simulation. Tests can break it.
package final class SimulatedConnection {
    package enum Side {
        /// The side that connected.
        case client
        /// The side that accepted.
        case server
    }

    let network: SimulatedNetwork
    private let hosts: (client: String, server: String)
    // Each open stream is retained by its loop, and retains the connection.
    package private(set) weak var client: SimulatedStream?
    package private(set) weak var server: SimulatedStream?
    private var isCut = false

    private init(network: SimulatedNetwork, hosts: (client: String, server: String)) {
        self.network = network
        self.hosts = hosts
    }

    /// Makes a connection and its two ends.
    static func make(
        from loop: SimulatedLoop, to listener: SimulatedListener, network: SimulatedNetwork
    ) -> (client: SimulatedStream, server: SimulatedStream) {
        let connection = SimulatedConnection(
            network: network, hosts: (loop.platform.host, listener.loop.platform.host))
        let toServer = SimulatedPipe(connection, of: .client)
        let toClient = SimulatedPipe(connection, of: .server)
        let client = SimulatedStream(
            on: loop, connection: connection, inbound: toClient, outbound: toServer,
            peer: listener.address.description)
        let clientAddress = SocketAddress(
            host: loop.platform.address ?? listener.address.host, port: network.takePort())
        let server = SimulatedStream(
            on: listener.loop, connection: connection, inbound: toServer, outbound: toClient,
            peer: clientAddress.description)
        connection.client = client
        connection.server = server
        network.didOpen(connection)
        return (client, server)
    }

    /// Whether one of its sides is on a machine.
    package func isOf(_ host: String) -> Bool {
        hosts.client == host || hosts.server == host
    }

    /// Whether both sides have it open, and bytes pass.
    package var isOpen: Bool {
        client?.isOpen == true && server?.isOpen == true && !isHeldUp
    }

    // MARK: Faults

    /// Breaks the connection for good; bytes in flight are lost. A side that is not notified never
    /// receives anything again, as when the other machine has lost its power.
    package func cut(heardBy sides: Set<Side> = [.client, .server]) {
        isCut = true
        // In a fixed order: the order of a set differs in each run.
        for side in [Side.client, .server] where sides.contains(side) {
            let stream = side == .client ? client : server
            network.simulation.after(microseconds: network.delayMicroseconds) { [weak stream] in
                stream?.fail("connection reset")
            }
        }
    }

    /// Whether nothing passes now.
    var isHeldUp: Bool {
        isCut || network.isPartitioned(hosts.client, from: hosts.server)
    }

    func resume() {
        client?.inbound.resume()
        server?.inbound.resume()
    }

    func sideDidClose() {
        if client?.isOpen != true, server?.isOpen != true { network.didClose(self) }
    }
}
