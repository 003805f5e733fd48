import Testing

extension ProcessTests {
    /// `join` by hand, on a terminal.
    @Suite struct JoinTypingTests {
        private let server: ServerProcess
        private let terminal: TmuxTerminal

        init() throws {
            server = try ServerProcess()
            terminal = try TmuxTerminal(columns: 60, rows: 30)
            try terminal.type(
                "clear; \(Program.client.path) --server \(server.address) join room1; echo end $?")
            try terminal.read(until: "the prompt") { $0.contains(">") }
        }

        /// The last line with something on it.
        private func lastLine(_ screen: [String]) -> String? { screen.last { !$0.isEmpty } }

        /// What is typed stays together when others' changes are printed.
        @Test func othersDoNotDisturb() throws {
            let other = try JoinProcess("other", room: "room1", at: server.address)
            try terminal.type("add Milk")
            try terminal.read(until: "the item") { $0.contains("  + 1. Milk") }
            try terminal.press("add Te", "Left", "Left", "Left", "x")
            try terminal.read(until: "what is typed") { lastLine($0) == "> addx Te" }
            try other.submit(
                line: #"{"ops":[{"insert":{"item":{"id":"eggs"},"to":{"section":"main"}}}]}"#)
            try terminal.read(until: "the change above the line") {
                $0.contains("  + 2. eggs") && lastLine($0) == "> addx Te"
            }
            try terminal.press("BSpace", "End", "a", "Enter")
            try terminal.read(until: "the item") { $0.contains("  + 3. Tea") }
            try terminal.press("Up", "Up", "Enter")
            try terminal.read(until: "the line before once more") { $0.contains("  + 4. Milk") }
            try terminal.type("move 1 3")
            try terminal.read(until: "which place that is") {
                $0.contains("Moving Milk behind Tea.")
            }
            try terminal.type("delete 1 2")
            try terminal.read(until: "both are gone") { screen in
                screen.count { $0.hasPrefix("  - ") } == 2
            }
            try terminal.press("C-d")
            try terminal.read(until: "the end") { $0.contains("end 0") }
            #expect(try other.finish() == .exit(0))
        }

        /// Nobody is told that a change is done which is not.
        @Test func whatIsGivenUpIsSaid() throws {
            try server.kill()
            try terminal.read(until: "the loss") { screen in
                screen.contains { $0.hasPrefix("Connection lost") }
            }
            try terminal.type("add Milk")
            try terminal.read(until: "that it waits") { screen in
                screen.contains { $0.hasPrefix("Waiting for the server") }
            }
            try terminal.press("C-c")
            try terminal.read(until: "that it is given up") { screen in
                screen.contains { $0.contains("1 change given up") } && screen.contains("end 75")
            }
            // The terminal is as it was.
            try terminal.type("echo echoed")
            try terminal.read(until: "the echo") { screen in
                screen.contains { $0.hasSuffix("echo echoed") } && screen.contains("echoed")
            }
        }
    }
}
