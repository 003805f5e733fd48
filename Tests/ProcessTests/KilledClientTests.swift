import Testing

extension ProcessTests {
    @Suite struct KilledClientTests {
        /// Clients are killed in the middle of writing. What they were acknowledged is there, of
        /// the rest the first part or nothing, and nobody else notices.
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
                #expect(client.errors == [], "it was never sent away")
            }
            #expect(load.killed.contains { $0.unanswered > 0 }, "they were killed while writing")
            let findings = try load.findings(at: server)
            #expect(findings == [])
            #expect(try server.terminate() == .exit(0))
        }
    }
}
