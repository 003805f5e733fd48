import SeededRandom
import SyncModel
import SyncWire
import Testing

extension ProcessTests {
    /// Garbage on a raw socket ends that connection and nothing else.
    @Suite struct GarbageTests {
        @Test func garbageEndsOnlyItsConnection() throws {
            let server = try ServerProcess()
            let other = try JoinProcess("other", room: "room1", at: server.address)
            var generator = SplitMix64(seed: 4)
            let streams = try Garbage.unreadable(using: &generator) + Garbage.unasked
            let sockets = try streams.map { name, bytes in
                let socket = try RawSocket(port: server.port)
                try socket.send(bytes)
                try edit(other)
                #expect(other.errors == [], "after \(name)")
                return socket
            }
            for socket in sockets { try socket.receiveUntilClosed() }
            try edit(other)
            #expect(other.errors == [], "it was never disconnected")
            #expect(try other.room == server.export("room1"))
            #expect(try other.finish() == .exit(0))
            #expect(try server.terminate() == .exit(0))
        }

        /// The same after a valid handshake, in a room.
        @Test func garbageFromAMemberEndsOnlyItsConnection() throws {
            let server = try ServerProcess()
            let other = try JoinProcess("other", room: "room1", at: server.address)
            var generator = SplitMix64(seed: 5)
            let streams = try Garbage.unreadable(using: &generator)
            let connections = try streams.map { name, bytes in
                let connection = try WireConnection(port: server.port)
                _ = try connection.join("room1", as: "c-\(name)", secret: [1])
                try connection.send(bytes: bytes)
                try edit(other)
                #expect(other.errors == [], "after \(name)")
                return connection
            }
            for connection in connections { try connection.receiveUntilClosed() }
            try edit(other)
            #expect(other.errors == [], "it was never disconnected")
            #expect(try other.finish() == .exit(0))
            #expect(try server.terminate() == .exit(0))
        }

        /// A readable message that means nothing to a server is answered, and the connection goes
        /// on.
        @Test func unknownMessagesAreAnswered() throws {
            let server = try ServerProcess()
            let connection = try WireConnection(port: server.port)
            let joined = try connection.join("room1", as: "c-raw", secret: [1])
            for (name, bytes) in Garbage.unasked {
                try connection.send(bytes: bytes)
                let answer = try connection.nextAnswer()
                guard case .error(let error) = answer else {
                    Issue.record("\(name) was answered with \(answer)")
                    continue
                }
                #expect(error.code == .unsupported)
            }
            let section = ListSection(id: Identifier("new"))
            let transaction = ListTransaction(
                base: 0, operations: [.insertSection(section, to: Placement())])
            try connection.send(
                .submit(try Submit(room: joined.handle, counter: 1, transaction: transaction)))
            guard case .ack = try connection.nextAnswer() else {
                Issue.record("the connection does not go on")
                return
            }
        }

        /// Connections that close in the middle of a frame, and some that stay silent.
        @Test func halfFramesDisturbNobody() throws {
            let server = try ServerProcess()
            let other = try JoinProcess("other", room: "room1", at: server.address)
            let silent = try (0..<50).map { _ in try RawSocket(port: server.port) }
            for length in 0..<40 {
                let socket = try RawSocket(port: server.port)
                try socket.send(Array(Garbage.hello.prefix(length)))
                if length % 2 == 0 { socket.finishSending() }
            }
            try edit(other)
            withExtendedLifetime(silent) {}
            #expect(try other.finish() == .exit(0))
            #expect(try server.terminate() == .exit(0))
        }

        private func edit(_ client: JoinProcess) throws {
            let item: JSON = ["id": .text("item-\(client.sent)")]
            try client.submit([["insert": ["item": item, "to": ["section": "main"]]]])
            try client.readUntilAnswered()
            try client.read(untilRevision: client.sent)
            #expect(client.rejected == [:])
        }
    }
}

/// Streams of bytes that no client may send.
private enum Garbage {
    /// The first frame of a good client.
    static var hello: [UInt8] {
        MessageEncoder().encode(ClientMessage.hello(Hello())).plain.array
    }

    typealias Stream = (name: String, bytes: [UInt8])

    /// Readable bytes that are no message to a server.
    static var unasked: [Stream] {
        [("unknown", frame([0xFA, 0x3F, 0x00])), ("server", serverFrame)]
    }

    /// Unreadable bytes; that shows at the last byte at the latest.
    static func unreadable(using generator: inout SplitMix64) throws -> [Stream] {
        let web = "GET /\(String(repeating: "a", count: 80)) HTTP/1.1\r\n\r\n"
        var streams: [Stream] = [
            ("web", Array(web.utf8)),
            ("oversized", [0xFF, 0xFF, 0xFF, 0x7F]),
            ("endless", [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
            ("crooked", [0x80, 0x00]),
            ("empty", [0]),
            ("two", frame(Array(hello[1...] + hello[1...]))),
            ("bomb", try bomb()),
            ("nested", frame([0x0A, 0x04, 0x0A, 0x02, 0x0A, 0x00])),
        ]
        for number in 0..<40 {
            let count = Int.random(in: 1...300, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            streams.append(("random\(number)", frame(bytes)))
        }
        return streams
    }

    /// A frame around bytes.
    private static func frame(_ body: [UInt8]) -> [UInt8] {
        var head: [UInt8] = []
        var length = body.count
        while length >= 0x80 {
            head.append(UInt8(length & 0x7F) | 0x80)
            length >>= 7
        }
        return head + [UInt8(length)] + body
    }

    /// A message that only a server sends.
    private static var serverFrame: [UInt8] {
        let ack = Ack(room: 1, counter: 1, commit: .init(revision: 1))
        return MessageEncoder().encode(ServerMessage.ack(ack)).plain.array
    }

    /// A small frame that inflates to a large one.
    private static func bomb() throws -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: 64 << 20)
        var deflated = [UInt8](repeating: 0, count: 1 << 20)
        let count = zeros.withUnsafeBytes { zeros in
            deflated.withUnsafeMutableBytes { Deflater().deflate(zeros, into: $0) }
        }
        guard let count else { throw TestFailure("could not make a bomb") }
        let inner = frame(Array(deflated[..<count]))
        return frame([0x0A] + inner)
    }
}
