import Glibc
import Testing

extension ProcessTests {
    /// A server that is replaced by another on the same store and socket while clients work.
    @Suite struct RollingRestartTests {
        /// In two rooms, two clients write with many transactions in flight, and one reads. The
        /// server is asked to end, and another one is started, three times. Clients only notice a
        /// pause: they are told of the end, resume without a new snapshot, and see no refusal.
        @Test(arguments: [1, 2])
        func clientsNoticeOnlyAPause(threads: Int) throws {
            let socket = try ActivatedSocket()
            let server = try ServerProcess(["--threads", "\(threads)"], socket: socket)
            let loads = try ["room1", "room2"].map { room in
                try WriteLoad(["a", "b"], room: room, at: server)
            }
            let readers = try loads.map { load in
                try JoinProcess("reader", room: load.room, at: server.address)
            }
            for _ in 0..<3 {
                for load in loads { try load.run(untilAcknowledged: 80) }
                #expect(try server.terminate() == .exit(0), "\(server.transcript)")
                try server.restart()
                for load in loads {
                    try load.runUntilAllAreServed()
                    #expect(load.missing(in: try server.export(load.room)) == [])
                }
            }
            for (load, reader) in zip(loads, readers) {
                try load.run(untilAcknowledged: 80)
                let findings = try load.findings(at: server)
                #expect(findings == [])
                let room = try server.export(load.room)
                for client in load.clients + [reader] { try expectAPause(client, room) }
                #expect(try reader.finish() == .exit(0))
            }
            #expect(try server.terminate() == .exit(0))
            let verified = try CommandResult.server(["verify", server.data])
            #expect(verified.ending == .exit(0), "\(verified)")
        }

        /// Checks that a client has the room, got its answers in order, and resumed three times.
        private func expectAPause(_ client: JoinProcess, _ room: RoomReplica) throws {
            try client.read(untilRevision: room.revision)
            #expect(try client.room == room, "\(client.name) has another room")
            let revisions = client.acknowledged.sorted { $0.key < $1.key }.map(\.value)
            #expect(revisions == revisions.sorted(), "\(client.name) is out of order")
            #expect(client.welcomes.count == 4, "\(client.transcript)")
            #expect(client.snapshotCount == 1)
            // Each end was announced.
            #expect(
                client.errors.count == 3
                    && client.errors.allSatisfy { $0["code"] == "shuttingDown" },
                "\(client.transcript)")
        }
    }
}
