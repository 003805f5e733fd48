import SeededRandom
import Testing

extension ProcessTests {
    /// `Protocol/` is enough to write a client. One in Python that knows nothing else edits a room
    /// beside others, and ends with the same room.
    @Suite struct PythonClientTests {
        @Test func writesAndReadsTheVectors() throws {
            let classes = try PythonClasses()
            let program = try classes.start("check_vectors.py")
            #expect(try program.wait() == .exit(0), "\(program.transcript)")
        }

        /// The client edits from stale bases, beside two others, and loses its connection with
        /// transactions in flight.
        @Test(
            arguments: [
                (1, []), (2, ["--plain", "--every-revision"]), (4, ["--no-dictionary"]),
                (5, ["--websocket"]),
            ] as [(UInt64, [String])])
        func endsEqual(seed: UInt64, options: [String]) throws {
            let server = try ServerProcess(speaksHTTP: true)
            let classes = try PythonClasses(
                with: options.contains("--websocket") ? ["websockets"] : [])
            let python = try PythonClient(
                classes, room: "room1", at: server, seed: seed, options)
            let others = try ["a", "b"].map {
                try JoinProcess($0, room: "room1", at: server.address)
            }
            var generator = SplitMix64(seed: seed)
            for round in 0..<120 {
                try python.edit(3)
                for client in others { try edit(client, round, using: &generator) }
                if round % 30 == 20 { try python.cut() }
            }
            try expectEqual(python, others, at: server, reconnections: 4, stale: 36)
        }

        /// The server is killed and restarted: unanswered transactions are resent, and applied
        /// once.
        @Test(arguments: [[], ["--websocket"]])
        func goesOnAfterTheServerWasKilled(options: [String]) throws {
            let server = try ServerProcess(speaksHTTP: true)
            let classes = try PythonClasses(with: options.isEmpty ? [] : ["websockets"])
            let python = try PythonClient(classes, room: "room1", at: server, seed: 3, options)
            // A room without stored records is a different room after a restart.
            try python.edit(1)
            _ = try python.settle(at: 1)
            for _ in 0..<3 {
                try python.edit(100)
                try server.kill()
                try server.restart()
            }
            try python.edit(100)
            // Whether revisions of others come in between, and make bases stale, depends on time
            // here.
            try expectEqual(python, [], at: server, reconnections: 3)
        }

        private func edit(
            _ client: JoinProcess, _ round: Int, using generator: inout SplitMix64
        ) throws {
            try client.readAvailable()
            let editor = RandomEditor(room: try client.room, prefix: "\(client.name)\(round)")
            try client.submit(editor.transaction(using: &generator))
            try client.read(until: "answers") { $0.unanswered < 20 }
        }

        /// Checks that each transaction was accepted once or refused, and that all have the
        /// server's room.
        private func expectEqual(
            _ python: PythonClient, _ others: [JoinProcess], at server: ServerProcess,
            reconnections: Int, stale: Int? = nil
        ) throws {
            var report = try python.settle()
            for client in others { try client.readUntilAnswered() }
            let revisions = (report.acknowledged + others.flatMap(\.acknowledged.values)).sorted()
            let last = try #require(revisions.last)
            #expect(revisions == Array(1...last), "every transaction has a revision of its own")
            report = try python.settle(at: last)
            #expect(report.sent == report.acknowledged.count + report.rejected.count)
            #expect(report.acknowledged.count > report.sent / 2)
            #expect(report.reconnections >= reconnections)
            if let stale { #expect(report.stale >= stale) }
            // The client compares these answers with the batches, and ends if one contradicts them.
            #expect(report.guardsChecked > report.sent / 8)
            #expect(report.guardsChanged > 0)
            // A transaction is refused for a guard that has changed, or for an anchor in a section
            // that the author had deleted before. After a restart the server may no longer know the
            // reason.
            let codes = [
                "REJECTION_CODE_UNKNOWN_SECTION", "REJECTION_CODE_CONFLICT",
                "REJECTION_CODE_REFUSED",
            ].prefix(reconnections > 0 ? 3 : 2)
            #expect(
                report.rejected.allSatisfy { code in codes.contains { code.hasPrefix($0) } },
                "\(report.rejected)")

            let exported = try server.export("room1")
            #expect(try python.export() == exported)
            for client in others {
                try client.read(untilRevision: last)
                #expect(try client.room == exported)
                #expect(try client.finish() == .exit(client.rejected.isEmpty ? 0 : 65))
            }
            #expect(try python.finish() == .exit(0), "\(python.transcript)")
        }
    }
}
