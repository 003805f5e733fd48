import Foundation
import SyncBytes
import SyncModel
import SyncWire
import Testing

extension ProcessTests {
    /// Strangers with one address, and others at the same time, over real sockets.
    @Suite struct AddressTests {
        /// An address gets what its limits allow, and no more; others are not affected.
        @Test func oneAddressCanNotTakeAllRooms() throws {
            let server = try ServerProcess(["--trusted", "none", "--max-rooms", "1000"])
            var made = 0
            var refused = 0
            var connections: [WireConnection] = []
            for number in 0..<8 {
                let mallory = try WireConnection(port: server.port, from: 2)
                connections.append(mallory)
                for room in 0..<32 {
                    let name = try RoomName(named: "room-\(number)-\(room)")
                    try mallory.send(
                        .join(
                            Join(
                                request: UInt32(room + 1), room: name,
                                client: try Identifier("m-\(number)"), secret: [1])))
                    switch try answerToJoin(mallory) {
                    case .joined: made += 1
                    case .error(let error) where error.code == .addressLimit: refused += 1
                    case let answer: Issue.record("joining was answered with \(answer)")
                    }
                }
            }
            // A hundred at once, and a few more in the minute that the test may take.
            #expect((100...120).contains(made) && made + refused == 256)
            let anna = try WireConnection(port: server.port, from: 3)
            _ = try anna.join("a room of her own", as: "anna", secret: [1])
        }

        @Test func connectionsOfAnAddressAreCounted() throws {
            let server = try ServerProcess([
                "--trusted", "none", "--max-address-connections", "5",
            ])
            var connections = try (0..<5).map { _ in try WireConnection(port: server.port, from: 2)
            }
            let sixth = try WireConnection(strangerTo: server.port, from: 0x7F00_0002)
            guard case .error(let error) = try sixth.lastWord() else {
                Issue.record("the sixth connection gets no error")
                return
            }
            #expect(error.code == .tooManyConnections && error.retry)
            _ = try WireConnection(port: server.port, from: 3)
            connections.removeLast()
            // The server notices the end a little later.
            #expect(Deadline.isReached { (try? WireConnection(port: server.port, from: 2)) != nil })
        }

        @Test func aProxyNamesAddresses() throws {
            let server = try ServerProcess([
                "--proxy-protocol", "--max-address-connections", "2", "--log-level", "debug",
            ])
            // A PROXY header, version 2: from 192.0.2.7:5000 to 10.0.0.1:7420.
            let header =
                Array("\r\n\r\n\0\r\nQUIT\n".utf8) + [0x21, 0x11, 0, 12]
                + [192, 0, 2, 7, 10, 0, 0, 1, 0x13, 0x88, 0x1C, 0xFC]
            let two = try (0..<2).map { _ in
                try WireConnection(port: server.port, from: 1, after: header)
            }
            #expect(
                try refusal(ofConnectingTo: server.port, after: header) == .tooManyConnections)
            // The line of the log comes a little later.
            #expect(
                Deadline.isReached { server.transcript.contains("192.0.2.7:5000") },
                "\(server.transcript)")
            #expect(try refusal(ofConnectingTo: server.port, after: []) == .badHandshake)
            withExtendedLifetime(two) {}
        }

        /// The error that a refused connection from 127.0.0.1 gets.
        private func refusal(
            ofConnectingTo port: UInt16, after header: [UInt8]
        ) throws -> ErrorCode? {
            let connection = try WireConnection(strangerTo: port, from: 0x7F00_0001)
            try connection.send(bytes: header)
            try connection.send(.hello(Hello(agent: "test")))
            guard case .error(let error) = try connection.next() else { return nil }
            return error.code
        }

        /// The answer to a join, after any messages of rooms that were joined before.
        private func answerToJoin(_ connection: WireConnection) throws -> ServerMessage {
            while true {
                let message = try connection.next()
                switch message {
                case .joined, .error: return message
                default: continue
                }
            }
        }
    }
}
