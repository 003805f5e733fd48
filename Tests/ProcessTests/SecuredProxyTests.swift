import SyncWire
import Testing

extension ProcessTests {
    /// A proxy's header comes before TLS.
    @Suite struct SecuredProxyTests {
        @Test func theNamedAddressCounts() throws {
            let server = try SecuredServer([
                "--proxy-protocol", "--trusted", "127.0.0.0/8", "--max-address-connections", "2",
                "--log-level", "debug",
            ])
            let header = SecuredProxyTests.header(naming: 7)
            let two = try (0..<2).map { _ in
                let connection = try SecuredConnection(strangerTo: server.port, after: header)
                #expect(try greet(connection) == nil)
                return connection
            }
            try server.process.logLine(with: "192.0.2.7:5000")
            let third = try SecuredConnection(strangerTo: server.port, after: header)
            #expect(try greet(third) == .tooManyConnections)
            let other = try SecuredConnection(
                strangerTo: server.port, after: SecuredProxyTests.header(naming: 8))
            #expect(try greet(other) == nil)
            withExtendedLifetime(two) {}
        }

        @Test func wrongHeadersAreClosed() throws {
            let server = try SecuredServer([
                "--proxy-protocol", "--handshake-timeout", "1s", "--log-level", "debug",
            ])
            let header = SecuredProxyTests.header(naming: 7)
            // Another version, TLS without a header, and a part of a header.
            let version: [UInt8] = header.prefix(12) + [0x31] + header[13...]
            let wrong = try [version, []].map {
                try SecuredConnection(strangerTo: server.port, after: $0)
            }
            let part = try RawSocket(port: server.port)
            try part.send(Array(header.prefix(20)))
            for _ in wrong { try server.process.logLine(with: "PROXY") }
            for connection in wrong { try connection.receiveUntilClosed() }
            try part.receiveUntilClosed()
            try server.process.logLine(with: "no hello came in time")
            let whole = try SecuredConnection(strangerTo: server.port, after: header)
            #expect(try greet(whole) == nil)
        }

        /// Sends a hello; returns the error that comes in place of a welcome.
        private func greet(_ connection: SecuredConnection) throws -> ErrorCode? {
            guard try connection.send(.hello(Hello(agent: "test"))) else {
                throw TestFailure("the server closed the connection during the handshake")
            }
            switch try connection.next() {
            case .welcome: return nil
            case .error(let error): return error.code
            case let message: throw TestFailure("\(String(describing: message)) came first")
            }
        }

        /// A PROXY header, version 2, from 192.0.2.`number`:5000 to 10.0.0.1:7420.
        private static func header(naming number: UInt8) -> [UInt8] {
            Array("\r\n\r\n\0\r\nQUIT\n".utf8) + [0x21, 0x11, 0, 12]
                + [192, 0, 2, number, 10, 0, 0, 1, 0x13, 0x88, 0x1C, 0xFC]
        }
    }
}
