import Foundation
import Glibc
import Testing

extension ProcessTests {
    /// No program ends by a signal, however short its run is and whatever runs at the same time.
    ///
    /// Debug builds also trap if a thread was not joined before the end. So few runs find what
    /// optimized builds meet once in a thousand runs.
    @Suite struct ShortRunTests {
        /// A run and its expected end.
        private struct Run: Sendable {
            var program: URL
            var arguments: [String]
            var input: String? = ""
            var exitCode: Int32
        }

        /// The number of runs, and how many of them run at once.
        private static let count =
            ProcessInfo.processInfo.environment["COLLSYNC_RUNS"].flatMap { Int($0) } ?? 300
        private static let countAtOnce = 12

        @Test func manyBesideEachOther() throws {
            let server = try ServerProcess(["--memory"])
            let client = try JoinProcess("a", room: "room1", at: server.address)
            for number in 0..<3 {
                let item: JSON = ["id": .text("item-\(number)")]
                try client.submit([["insert": ["item": item, "to": ["section": "main"]]]])
            }
            try client.readUntilAnswered()
            let kinds = try runs(at: server)
            var underWay: [(run: Run, process: ChildProcess)] = []
            for number in 0..<Self.count {
                if underWay.count == Self.countAtOnce { try expectEnd(underWay.removeFirst()) }
                let run = kinds[number % kinds.count]
                let process = try ChildProcess(run.program, run.arguments)
                // A program whose input stays open ends while a thread waits for input.
                if run.input != nil { process.closeInput() }
                underWay.append((run, process))
            }
            for running in underWay { try expectEnd(running) }
            #expect(try client.finish() == .exit(0))
            #expect(try server.terminate() == .exit(0), "\(server.transcript)")
        }

        private func expectEnd(_ running: (run: Run, process: ChildProcess)) throws {
            let ending = try running.process.wait()
            #expect(ending == .exit(running.run.exitCode), "\(running.process.transcript)")
        }

        /// One run of each kind: success, and failures early, late and before anything has started.
        private func runs(at server: ServerProcess) throws -> [Run] {
            func client(_ words: [String], _ exitCode: Int32, input: String? = "") -> Run {
                Run(
                    program: clientProgram, arguments: ["--server", server.address] + words,
                    input: input, exitCode: exitCode)
            }
            let clientProgram = try Program.client
            let aFile = try server.folder.write("{}", to: "file")
            return [
                client(["tail", "room1", "--from", "0", "--until", "1"], 0),
                client(["tail", "room1", "--from", "0", "--until", "2", "--every-revision"], 0),
                client(["join", "room1"], 0),
                client(["export", "room1"], 0),
                client(["rooms"], 0),
                client(["stats", "room1"], 0),
                client(["tail", "a/b"], 64),
                client(["tail", "room1", "--from", "2", "--until", "1"], 64),
                client(["join", "a/b"], 64, input: nil),
                client(["stats", "nothing"], 65),
                client(["import", "room2", aFile], 65),
                client(["layout"], 0),
                client(["render", "room1", "--layout", "flow", "--out", "/nothing/a.png"], 74),
                client(["view", "room1", "--layout", "flow", "--spec", "{"], 64),
                Run(
                    program: clientProgram,
                    arguments: ["--server", "127.0.0.1:1", "join", "room1"], input: nil,
                    exitCode: 69),
                Run(
                    program: try Program.server,
                    arguments: ["serve", "--data", aFile, "--listen", "127.0.0.1:0"], exitCode: 66),
                Run(
                    program: try Program.server,
                    arguments: ["serve", "--memory", "--listen", server.address], exitCode: 69),
            ]
        }
    }
}
