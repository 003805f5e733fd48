import Foundation
import SyncModel
import SyncWire
import Testing

extension ProcessTests {
    /// The files of a store, and of its audit trail, do not reveal the secrets of clients.
    @Suite struct SecretTests {
        /// The contents of the store's files.
        private func files(of server: ServerProcess) throws -> [Data] {
            try FileManager.default.files(in: server.data).map {
                try Data(contentsOf: URL(filePath: server.data + "/" + $0))
            }
        }

        @Test func noFileHoldsASecret() throws {
            let server = try ServerProcess()
            let secret = Array("what-only-the-client-knows".utf8)
            func join(showing secret: [UInt8]) throws -> ServerMessage {
                try WireConnection(port: server.port).ask(
                    toJoin: "room", as: "c-known-to-all", secret: secret, viewOnly: true)
            }
            let connection = try WireConnection(port: server.port)
            let joined = try connection.join(
                "room", as: "c-known-to-all", secret: secret, viewOnly: true)
            let insert = ListOperation.insert(
                Item(id: Identifier("a")), to: Placement(section: Identifier("main")))
            let transaction = ListTransaction(base: 0, operations: [insert])
            try connection.send(
                .submit(
                    Submit(
                        room: joined.handle, counter: 1,
                        transaction: try PackedTransaction(transaction))))
            guard case .ack = try connection.nextAnswer() else {
                throw TestFailure("it is not acknowledged")
            }
            try server.kill()
            let stored = try files(of: server)
            #expect(stored.contains { $0.firstRange(of: Data("c-known-to-all".utf8)) != nil })
            #expect(!stored.contains { $0.firstRange(of: Data(secret)) != nil })

            try server.restart()
            guard case .error(let error) = try join(showing: secret + [0]) else {
                throw TestFailure("somebody else was taken in")
            }
            #expect(error.code == .badSecret)
            guard case .joined = try join(showing: secret) else {
                throw TestFailure("the client was not taken in")
            }
            // The end of the server writes a snapshot.
            #expect(try server.terminate() == .exit(0))
            let found = try files(of: server).contains { $0.firstRange(of: Data(secret)) != nil }
            #expect(!found)
        }
    }
}
