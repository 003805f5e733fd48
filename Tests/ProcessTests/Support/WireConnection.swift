import SyncBytes
import SyncModel
import SyncWire

/// A client that speaks the protocol and does nothing by itself.
final class WireConnection {
    private let socket: RawSocket
    private let encoder = MessageEncoder()
    private let messageDecoder = MessageDecoder()
    private var frames = FrameDecoder()
    private var messages: [(ServerMessage, byteCount: Int)] = []
    /// How many bytes the frames of the returned messages had.
    private(set) var byteCount = 0

    /// Connects without sending anything.
    init(
        strangerTo port: UInt16, receiveBufferBytes: Int32? = nil, from source: UInt32? = nil
    ) throws {
        socket = try RawSocket(port: port, receiveBufferBytes: receiveBufferBytes, from: source)
    }

    /// Connects from one of this machine's addresses, 127.0.0.`number`, and exchanges hellos.
    convenience init(port: UInt16, from number: UInt32, after header: [UInt8] = []) throws {
        try self.init(strangerTo: port, from: 0x7F00_0000 + number)
        try send(bytes: header)
        try send(.hello(Hello(agent: "test")))
        guard case .welcome = try next() else { throw TestFailure("there was no welcome") }
    }

    /// Connects and exchanges hellos.
    convenience init(
        port: UInt16, features: Features = .all, receiveBufferBytes: Int32? = nil
    ) throws {
        try self.init(strangerTo: port, receiveBufferBytes: receiveBufferBytes)
        try send(.hello(Hello(features: features, agent: "test")))
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
        guard let message = try nextOrEnd() else {
            throw TestFailure("the server closed the connection")
        }
        return message
    }

    /// The next message that is no heartbeat; `nil` once the server has closed the connection.
    func nextOrEnd() throws -> ServerMessage? {
        while messages.isEmpty {
            let bytes = try socket.receive()
            if bytes.isEmpty { return nil }
            try bytes.withUnsafeBytes { buffer in
                var input = buffer
                while let frame = try frames.next(&input) {
                    let message = try messageDecoder.serverMessage(frame)
                    if case .heartbeat = message { continue }
                    messages.append((message, frame.count))
                }
            }
        }
        let (message, bytes) = messages.removeFirst()
        byteCount += bytes
        return message
    }

    /// The next answer to a transaction; other messages are dropped.
    func nextAnswer() throws -> ServerMessage {
        while true {
            let message = try next()
            switch message {
            case .ack, .reject, .error: return message
            default: continue
            }
        }
    }

    /// The last message before the server closes the connection.
    func lastWord() throws -> ServerMessage? {
        var last: ServerMessage?
        while let message = try nextOrEnd() { last = message }
        return last
    }

    func hasInput(within milliseconds: Int32) -> Bool {
        socket.hasInput(within: milliseconds)
    }

    func finishSending() {
        socket.finishSending()
    }

    /// The messages that answer a request, up to the last one.
    func answers(to request: ClientMessage) throws -> [ServerMessage] {
        try send(request)
        var answers: [ServerMessage] = []
        while true {
            answers.append(try next())
            switch answers.last {
            case .snapshot, .batch: continue
            default: return answers
            }
        }
    }

    /// Sends a join and returns the answer.
    func ask(
        toJoin room: String, as client: String, secret: [UInt8], viewOnly: Bool = false
    ) throws -> ServerMessage {
        try send(
            .join(
                Join(
                    request: 1, room: try RoomName(named: room), client: try Identifier(client),
                    secret: secret, viewOnly: viewOnly)))
        return try next()
    }

    func join(
        _ room: String, as client: String, secret: [UInt8], viewOnly: Bool = false
    ) throws -> Joined {
        let answer = try ask(toJoin: room, as: client, secret: secret, viewOnly: viewOnly)
        guard case .joined(let joined) = answer else {
            throw TestFailure("joining was answered with \(answer)")
        }
        return joined
    }

    func receiveUntilClosed() throws {
        try socket.receiveUntilClosed()
    }
}

extension RoomName {
    init(named text: String) throws {
        guard let name = RoomName(text) else { throw TestFailure("\(text) can't be a room") }
        self = name
    }
}

extension SharedBytes {
    /// The bytes, copied.
    var array: [UInt8] {
        withExtendedLifetime(self) { Array(bytes) }
    }
}
