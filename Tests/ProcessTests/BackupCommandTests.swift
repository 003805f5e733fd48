import Foundation
import Glibc
import ModelSupport
import SyncModel
import Testing

@testable import SyncStore

extension ProcessTests {
    @Suite struct BackupCommandTests {
        /// The records in a copy, which must be whole.
        private func records(in path: String) throws -> [LogRecord] {
            let data = try [UInt8](Data(contentsOf: URL(filePath: path)))
            var offset = 0
            var reader = BackupReader { memory in
                let count = min(memory.count, data.count - offset)
                memory.copyBytes(from: data[offset..<(offset + count)])
                offset += count
                return count
            }
            var records: [LogRecord] = []
            while try reader.next({ if case .record(let record) = $0 { records.append(record) } }) {
            }
            return records
        }

        /// Clients write while the store is copied, again and again.
        @Test func aRunningServerIsCopied() throws {
            let server = try ServerProcess()
            let load = try WriteLoad(["a", "b"], room: "room1", at: server)
            let file = server.folder.path("copy")
            for _ in 0..<5 {
                try load.run(untilAcknowledged: 40)
                let result = try CommandResult.server(["backup", server.data, "--to", file])
                #expect(result.ending == .exit(0), "\(result)")
                #expect(result.output == [])
                #expect(result.errors.last?.contains("copied 1 rooms") == true)
            }
            #expect(try load.findings(at: server) == [])
            let piped = server.folder.path("piped")
            #expect(
                try CommandResult.server(["backup", server.data, "--to", file]).ending == .exit(0))
            let line = #""$0" backup "$1" | cat > "$2""#
            #expect(try CommandResult.shell(line, [server.data, piped]).ending == .exit(0))
            #expect(try records(in: file) == records(in: piped))
            #expect(try server.terminate() == .exit(0))
            let verified = try CommandResult.server(["verify", server.data])
            #expect(verified.ending == .exit(0), "\(verified)")
        }

        @Test func onlyTheNamedRoomsAreCopied() throws {
            let server = try ServerProcess()
            let (first, second) = (Spellings.composed, Spellings.decomposed)
            for (index, room) in ["a", first, second].enumerated() {
                try RoomWriter(room, at: server).submit(index..<(index + 2)) { _ in [] }
            }
            let copy = server.folder.path("copy")
            for (options, rooms) in [
                (["--room", first], [first]), (["--room", second, "--room", "a"], ["a", second]),
                ([], ["a", first, second]),
            ] {
                let result = try CommandResult.server(
                    ["backup", server.data, "--to", copy] + options)
                #expect(result.ending == .exit(0), "\(result)")
                #expect(result.errors.last?.contains("copied \(rooms.count) rooms") == true)
                let new = server.folder.path("new-\(options.count)")
                let restored = try CommandResult.server(["restore", new, "--from", copy])
                #expect(restored.ending == .exit(0), "\(restored)")
                #expect(
                    try StoreContents(of: new).rooms.keys.sorted()
                        == rooms.map { roomName($0) }.sorted())
            }
        }

        @Test func refusalsHaveTheirCodes() throws {
            let server = try ServerProcess()
            let client = try JoinProcess("client", room: "room1", at: server.address)
            try client.submit(
                line: #"{"ops":[{"insert":{"item":{"id":"a"},"to":{"section":"main"}}}]}"#)
            #expect(try client.finish() == .exit(0))
            let cases: [(arguments: [String], code: Int32)] = [
                ([server.folder.path("none")], 66), ([server.data, "--room", "none"], 66),
                ([server.data, "--to", "/dev/null"], 74),
                ([server.data, "--to", server.folder.path("none/copy")], 74),
                ([server.data, "--spool", server.folder.path("none")], 74),
                ([server.data, "--max-log", "much"], 64), ([server.data, "--room", "a/b"], 64),
                ([server.data, "--room", ""], 64),
            ]
            for (arguments, code) in cases {
                let result = try CommandResult.server(["backup"] + arguments)
                #expect(result.ending == .exit(code), "\(arguments): \(result)")
                #expect(result.output == [])
            }
            #expect(
                try CommandResult.shell(#""$0" backup "$1" | true"#, [server.data]).ending
                    == .exit(0))
            #expect(try server.terminate() == .exit(0))
        }

        /// The file is the old one or the new one, whenever the program is killed.
        @Test func aKilledCopyLeavesTheOldFile() throws {
            let server = try ServerProcess()
            let file = server.folder.path("copy")
            try RoomWriter("room1", at: server).submit(1..<200) { _ in [] }
            #expect(
                try CommandResult.server(["backup", server.data, "--to", file]).ending == .exit(0))
            let old = try records(in: file)
            for delay in stride(from: 0, to: 60_000, by: 3000) {
                let process = try ChildProcess(
                    Program.server, ["backup", server.data, "--to", file])
                usleep(UInt32(delay))
                process.end()
                #expect(try records(in: file) == old)
            }
        }
    }
}
