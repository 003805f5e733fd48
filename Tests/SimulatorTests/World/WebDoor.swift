import SyncIO
import SyncWebSocket

/// Connects a client to the WebSockets of the simulated server, whatever the address.
final class WebDoor: ClientSecurity, @unchecked Sendable {
    // Sendable, as a simulation has one thread.
    private let client = WebSocketClient(target: "/v1/ws", host: "server")
    private let evidence: Evidence
    private var hasOpened = false

    init(_ evidence: Evidence) {
        self.evidence = evidence
    }

    func connect(
        to address: SocketAddress, on loop: any EventLoop,
        completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        client.connect(to: ServerMachine.webAddress, on: loop) { [self] result in
            if case .success = result {
                if hasOpened { evidence.didSuffer(.webSocketReplaced) }
                hasOpened = true
            }
            completion(result)
        }
    }
}
