import Glibc
import SyncBytes
import SyncWire
import Testing

extension ProcessTests {
    /// Connections that never send a hello cost little, disturb nobody, and are closed in time.
    @Suite struct SilentConnectionTests {
        @Test func tenThousand() throws {
            let count = Program.isSanitized ? 1000 : 10_000
            try OpenFiles.allow(count + 500)
            let server = try ServerProcess(
                ["--max-connections", "\(count + 100)", "--handshake-timeout", "12s"])
            let client = try JoinProcess("a", room: "room1", at: server.address)
            try edit(client)
            let before = try server.residentBytes
            var sockets: [WireConnection] = []
            for number in 1...count {
                sockets.append(try WireConnection(strangerTo: server.port))
                if number % 500 == 0 { try edit(client) }
            }
            // The last connection is accepted once it has an answer, and so are all before it.
            try sockets.removeLast().expectEnd(saying: .badMessage, after: [0x00])
            let bytes = (try server.residentBytes - before) / count
            print("a silent connection: \(bytes) bytes of the server's memory")
            #expect(bytes < 4 << 10 || Program.isSanitized)
            let watcher = try WireConnection(port: server.port)
            try server.expectMemoryWithinAccounts("silent connections", "room1", by: watcher)
            let held = try server.heldBytes("room1", by: watcher)
            #expect(held >= (count - 1) * 1024, "each is charged to an account")
            for (number, socket) in sockets.enumerated() {
                try socket.expectEnd(saying: .handshakeTimeout)
                if number % 1000 == 0 { try edit(client) }
            }
            try edit(client)
            #expect(client.errors == [], "it was never disconnected")
            #expect(try client.finish() == .exit(0))
            #expect(try server.terminate() == .exit(0))
        }

        /// A hello that comes byte by byte does not get more time.
        @Test func aByteASecond() throws {
            let server = try ServerProcess(["--handshake-timeout", "3s"])
            let client = try JoinProcess("a", room: "room1", at: server.address)
            let stranger = try WireConnection(strangerTo: server.port)
            // A client that has sent its hello may take its time.
            let known = try WireConnection(port: server.port)
            let hello = MessageEncoder().encode(ClientMessage.hello(Hello())).plain.array
            let sent = try hello.prefix { byte in
                try stranger.send(bytes: [byte])
                try known.send(bytes: [byte])
                return !stranger.hasInput(within: 1000)
            }
            #expect(sent.count < hello.count - 10, "it was closed before the end")
            try stranger.expectEnd(saying: .handshakeTimeout)
            try edit(client)
            // The rest of this frame is a second hello.
            try known.expectEnd(saying: .badMessage, after: Array(hello[(sent.count + 1)...]))
            #expect(try client.finish() == .exit(0))
        }

        /// A connection over the limit gets an error.
        @Test func oneTooMany() throws {
            let server = try ServerProcess(["--max-connections", "3"])
            let client = try JoinProcess("a", room: "room1", at: server.address)
            let silent = try (0..<2).map { _ in try WireConnection(strangerTo: server.port) }
            let another = try WireConnection(strangerTo: server.port)
            try another.expectEnd(saying: .tooManyConnections)
            try edit(client)
            withExtendedLifetime(silent) {}
        }

        private func edit(_ client: JoinProcess) throws {
            let item: JSON = ["id": .text("item-\(client.sent)")]
            try client.submit([["insert": ["item": item, "to": ["section": "main"]]]])
            try client.readUntilAnswered()
            #expect(client.rejected == [:])
        }
    }
}

extension WireConnection {
    /// Sends bytes, if any, and waits for the last message and the end.
    fileprivate func expectEnd(saying code: ErrorCode, after bytes: [UInt8] = []) throws {
        if !bytes.isEmpty { try send(bytes: bytes) }
        guard case .error(let error) = try lastWord(), error.code == code else {
            throw TestFailure("the connection was not closed with \(code)")
        }
    }
}

/// The system's limit on open files of this process.
private enum OpenFiles {
    static func allow(_ count: Int) throws {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        getrlimit(resource, &limit)
        guard limit.rlim_cur < rlim_t(count) else { return }
        limit.rlim_cur = rlim_t(count)
        limit.rlim_max = max(limit.rlim_max, limit.rlim_cur)
        guard setrlimit(resource, &limit) == 0 else {
            throw TestFailure("the system does not allow \(count) open files; see 'ulimit -Hn'")
        }
    }
}
