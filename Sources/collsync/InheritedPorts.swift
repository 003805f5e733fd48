import SyncIO
import SyncLoop

/// The ports that a service manager has opened for the server, each known by the name of its
/// socket.
struct InheritedPorts {
    /// For clients of the protocol, in place of `--listen`.
    private(set) var clients: InheritedPort?
    /// For HTTP and WebSocket, in place of `--http`.
    private(set) var http: InheritedPort?
    /// For metrics, in place of `--metrics`.
    private(set) var metrics: InheritedPort?

    private static let names = (
        clients: "collsync", http: "collsync-http", metrics: "collsync-metrics"
    )

    /// None.
    init() {}

    /// Sorts them by their names. A socket without a name is for clients of the protocol.
    ///
    /// - Throws: ``IOError/system(_:)`` if a name is unknown, or two have the same.
    init(_ ports: [InheritedPort]) throws(IOError) {
        let names = InheritedPorts.names
        for port in ports {
            switch port.name {
            case "", names.clients: try InheritedPorts.fill(&clients, with: port, names.clients)
            case names.http: try InheritedPorts.fill(&http, with: port, names.http)
            case names.metrics: try InheritedPorts.fill(&metrics, with: port, names.metrics)
            default:
                throw .system(
                    "the service manager has opened a socket with the name '\(port.name)': name it"
                        + " '\(names.clients)', '\(names.http)' or '\(names.metrics)', by"
                        + " FileDescriptorName=")
            }
        }
    }

    private static func fill(
        _ place: inout InheritedPort?, with port: InheritedPort, _ name: String
    ) throws(IOError) {
        guard place == nil else {
            throw .system(
                "the service manager has opened two sockets for '\(name)': the server needs one")
        }
        place = port
    }
}
