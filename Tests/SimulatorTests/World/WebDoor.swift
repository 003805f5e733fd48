import SyncIO
import SyncWebSocket

/// Connects to the WebSockets of the simulated server, whatever the address.
struct WebDoor: ClientSecurity {
    private let client = WebSocketClient(target: "/v1/ws", host: "server")

    func connect(
        to address: SocketAddress, on loop: any EventLoop,
        completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        client.connect(to: ServerMachine.webAddress, on: loop, completion: completion)
    }
}
