import Testing

extension ProcessTests {
    @Suite struct KilledClientTests {
        /// Clients are killed while they write. Their acknowledged transactions are in the room,
        /// followed by some or none of the rest in order. Other clients are not affected.
        @Test func nobodyElseNotices() throws {
            let server = try ServerProcess()
            let load = try WriteLoad(["a", "b"], room: "room1", at: server)
            for number in 0..<10 {
                try load.add("victim\(number)", at: server)
                try load.run(untilAcknowledged: 60)
                try load.killLast()
                #expect(load.missing(in: try server.export("room1")) == [])
            }
            try load.run(untilAcknowledged: 60)
            for client in load.clients {
                #expect(client.errors == [], "it was never disconnected")
            }
            #expect(load.killed.contains { $0.unanswered > 0 }, "they were killed while writing")
            let findings = try load.findings(at: server)
            #expect(findings == [])
            #expect(try server.terminate() == .exit(0))
        }
    }
}
