import Testing

extension ProcessTests {
    /// The log says what became of requests, by the traces that they belong to.
    @Suite struct TraceLogTests {
        private func post(_ id: String, of trace: String, at port: UInt16) throws -> Int {
            let operation = #"{"insert":{"item":{"id":"\#(id)"},"to":{"section":"main"}}}"#
            return try PlainRequest.ask(
                "/v1/rooms/list/transactions", by: "POST", at: port,
                ["traceparent": "00-\(trace)-00000000000000a1-01"],
                body: #"{"ops":[\#(operation)]}"#
            ).status
        }

        @Test func committedAndRefused() throws {
            let disk = try FaultyDisk()
            let server = try ServerProcess(
                ["--log-level", "debug", "--log-format", "json"], environment: disk.environment)
            let port = try server.port(after: "HTTP is on ")
            let traces = ["a", "b"].map { String(repeating: $0, count: 32) }
            #expect(try post("milk", of: traces[0], at: port) == 200)
            let committed = try JSON(
                server.logLine(with: "transactions with traces are committed"))
            #expect(committed["room"]?.text == "list" && committed["revisions"]?.text == "1")
            #expect(committed["traces"]?.text == traces[0])
            let answered = try JSON(server.logLine(with: "a request is answered"))
            #expect(answered["trace"]?.text == traces[0] && answered["status"]?.text == "200")
            try disk.begin(.full)
            #expect(try post("eggs", of: traces[1], at: port) == 503)
            let refused = try JSON(server.logLine(with: "the store has refused a record"))
            #expect(refused["traces"]?.text == traces[1])
            try disk.end()
        }
    }
}
