import Testing

extension ProcessTests {
    /// The limit on the work of one transaction, as users meet it.
    @Suite struct StepLimitTests {
        private func inserts(_ numbers: Range<Int>) -> [JSON] {
            numbers.map {
                ["insert": ["item": ["id": .text("i\($0)")], "to": ["section": "main"]]]
            }
        }

        /// A transaction over the limit is refused with its code and changes nothing; a part of it
        /// is accepted.
        @Test func whatIsOverTheLimitIsRefused() throws {
            let server = try ServerProcess(["--transaction-steps", "10000"])
            let client = try JoinProcess("a", room: "room1", at: server.address)
            let large = try client.submit(inserts(0..<6000))
            try client.readUntilAnswered()
            #expect(client.rejected[large]?["code"] == "limitExceeded", "\(client.transcript)")
            let small = try client.submit(inserts(0..<1000))
            try client.readUntilAnswered()
            #expect(client.acknowledged[small] == 1, "\(client.transcript)")
            #expect(try client.finish() == .exit(65))
        }

        /// Limits are a policy of a server: a room that one server has accepted opens on another
        /// with any limits.
        @Test func aReplayNeverJudges() throws {
            let generous = try ServerProcess()
            let client = try JoinProcess("a", room: "room1", at: generous.address)
            try client.submit(inserts(0..<6000))
            try client.readUntilAnswered()
            #expect(client.acknowledged.count == 1, "\(client.transcript)")
            try client.kill()
            try generous.kill()
            let strict = try ServerProcess(
                [
                    "--transaction-steps", "10000", "--max-items", "100",
                    "--max-transaction-operations", "10",
                ], data: generous.data)
            #expect(try strict.export("room1").items.count == 6000)
            let other = try JoinProcess("b", room: "room1", at: strict.address)
            try other.submit(inserts(9000..<9001))
            try other.readUntilAnswered()
            #expect(other.rejected.values.map { $0["code"] } == ["limitExceeded"])
            #expect(try other.finish() == .exit(65))
            #expect(try strict.terminate() == .exit(0))
        }
    }
}
