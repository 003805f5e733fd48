import SyncBytes
import SyncEngine
import SyncWire

/// A client that speaks the protocol and does nothing by itself.
final class WireConnection {
    private let socket: RawSocket
    private let encoder = MessageEncoder()
    private let messageDecoder = MessageDecoder()
    private var frames = FrameDecoder()
    private var messages: [ServerMessage] = []

    /// Connects and shakes hands.
    init(port: UInt16) throws {
        socket = try RawSocket(port: port)
        try send(.hello(Hello(agent: "test")))
        guard case .welcome = try next() else { throw TestFailure("there was no welcome") }
    }

    func send(_ message: ClientMessage) throws {
        try send(bytes: encoder.encode(message).plain.array)
    }

    func send(bytes: [UInt8]) throws {
        try socket.send(bytes)
    }

    /// The next message that is no heartbeat.
    func next() throws -> ServerMessage {
        while messages.isEmpty {
            let bytes = try socket.receive()
            guard !bytes.isEmpty else { throw TestFailure("the server closed the connection") }
            try bytes.withUnsafeBytes { buffer in
                var input = buffer
                while let frame = try frames.next(&input) {
                    let message = try messageDecoder.serverMessage(frame)
                    if case .heartbeat = message { continue }
                    messages.append(message)
                }
            }
        }
        return messages.removeFirst()
    }

    /// The next answer to a transaction, whatever comes in between.
    func nextAnswer() throws -> ServerMessage {
        while true {
            let message = try next()
            switch message {
            case .ack, .reject, .error: return message
            default: continue
            }
        }
    }

    /// Asks to join a room and gives the answer.
    func ask(toJoin room: String, as client: String, secret: [UInt8]) throws -> ServerMessage {
        guard let name = RoomName(room) else { throw TestFailure("\(room) can't be a room") }
        try send(
            .join(Join(request: 1, room: name, client: try Identifier(client), secret: secret)))
        return try next()
    }

    func join(_ room: String, as client: String, secret: [UInt8]) throws -> Joined {
        let answer = try ask(toJoin: room, as: client, secret: secret)
        guard case .joined(let joined) = answer else {
            throw TestFailure("joining was answered with \(answer)")
        }
        return joined
    }

    func receiveUntilClosed() throws {
        try socket.receiveUntilClosed()
    }
}

extension SharedBytes {
    /// The bytes, copied.
    var array: [UInt8] {
        withExtendedLifetime(self) { Array(bytes) }
    }
}
