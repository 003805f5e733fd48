import Foundation
import Glibc
import SyncModel
import Testing

@testable import SyncStore

extension ProcessTests {
    /// Whoever reads `collsync backup | …` slowly delays nothing: the store is not being read any
    /// more when the first byte comes.
    @Suite struct UnreadBackupTests {
        /// Takes one byte, and waits until the test says that the others may come.
        private static let reader = #"""
            "$0" backup "$1" |
                { dd bs=1 count=1 of="$2" status=none && : > "$2.begun" && read go < "$3" && cat >> "$2"; }
            """#

        /// The salt of the write-ahead log, which changes when the log starts again.
        private func salt(of log: String) throws -> Data {
            let file = try FileHandle(forReadingFrom: URL(filePath: log))
            defer { try? file.close() }
            try file.seek(toOffset: 16)
            return try file.read(upToCount: 8) ?? Data()
        }

        private func write(_ numbers: Range<Int>, by writer: RoomWriter) throws {
            let text = String(repeating: "x", count: 20_000)
            try writer.submit(numbers) { number in
                let name = Identifier("t")
                let content = try ItemContent(fields: [Field(name: name, value: .text(text))])
                let item = Item(id: try Identifier("i\(number)"), content: content)
                return [.insert(item, to: Placement(section: "main"))]
            }
        }

        @Test func theServerGoesOn() throws {
            let server = try ServerProcess()
            let writer = try RoomWriter("room1", at: server)
            try write(1..<50, by: writer)
            let (copy, fifo) = (server.folder.path("copy"), server.folder.path("fifo"))
            #expect(mkfifo(fifo, 0o600) == 0)
            // Opened for both, it does not wait for the other end.
            let gate = open(fifo, O_RDWR | O_CLOEXEC)
            defer { close(gate) }
            let backup = try ChildProcess(
                URL(filePath: "/bin/sh"),
                ["-c", Self.reader, Program.server.path, server.data, copy, fifo])
            backup.closeInput()
            #expect(
                Deadline.isReached { FileManager.default.fileExists(atPath: copy + ".begun") })
            // 49 items have far more bytes than a pipe takes, so the program waits now.
            let log = server.data + "/collsync.db-wal"
            let before = try salt(of: log)
            var next = 50
            while try salt(of: log) == before, next < 5000 {
                try write(next..<(next + 50), by: writer)
                next += 50
            }
            #expect(try salt(of: log) != before, "the log has not started again")
            #expect(try Data(contentsOf: URL(filePath: copy)).count == 1)
            #expect(Glibc.write(gate, "go\n", 3) == 3)
            #expect(try backup.wait() == .exit(0), "\(backup.transcript)")
            let verified = try CommandResult.server(["verify", copy])
            #expect(verified.ending == .exit(0), "\(verified)")
            #expect(try server.terminate() == .exit(0))
        }
    }
}
