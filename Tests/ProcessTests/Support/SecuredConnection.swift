import SyncBytes
import SyncWire
import TLSSupport

/// A client that speaks the protocol by OpenSSL's TLS, and does nothing by itself. It trusts
/// everybody.
final class SecuredConnection {
    private let socket: RawSocket
    private let peer: BarePeer
    private var takenBytes = 0
    private var frames = FrameDecoder()

    /// Connects, and sends bytes and the first message of the handshake.
    init(strangerTo port: UInt16, after bytes: [UInt8] = []) throws {
        socket = try RawSocket(port: port)
        peer = try BarePeer()
        peer.receive([])
        try socket.send(bytes + peer.takeOutput())
    }

    /// Ends the handshake and sends a message; `false` if the server has closed the connection.
    func send(_ message: ClientMessage) throws -> Bool {
        while !peer.isConnected {
            if try !receive() { return false }
        }
        peer.write(MessageEncoder().encode(message).plain.array)
        try socket.send(peer.takeOutput())
        return true
    }

    /// The next message; `nil` once the server has closed the connection.
    func next() throws -> ServerMessage? {
        while true {
            let rest = Array(peer.received[takenBytes...])
            let message = try rest.withUnsafeBytes { buffer -> ServerMessage? in
                var input = buffer
                defer { takenBytes += buffer.count - input.count }
                return try frames.next(&input).map { try MessageDecoder().serverMessage($0) }
            }
            if let message { return message }
            if try !receive() { return nil }
        }
    }

    /// Passes on what comes next; `false` once the server has closed the connection.
    private func receive() throws -> Bool {
        let bytes = try socket.receive()
        peer.receive(bytes)
        try socket.send(peer.takeOutput())
        return !bytes.isEmpty
    }

    func receiveUntilClosed() throws {
        try socket.receiveUntilClosed()
    }
}
