import Foundation
import Glibc
import SyncModel
import Testing

extension ProcessTests {
    /// `collsync verify` checks a backup as `restore` does, and leaves nothing behind.
    @Suite struct VerifyBackupTests {
        @Test func aBackupIsChecked() throws {
            let server = try ServerProcess()
            for room in ["a", "b"] {
                try RoomWriter(room, at: server).submit(1..<200) { _ in [] }
            }
            let copy = server.folder.path("copy")
            let backup = try CommandResult.server(["backup", server.data, "--to", copy])
            #expect(backup.ending == .exit(0), "\(backup)")
            #expect(try server.terminate() == .exit(0))
            let spool = server.folder.path("spool")
            try FileManager.default.createDirectory(
                atPath: spool, withIntermediateDirectories: false)
            let line = #""$0" verify "$1" --spool "$2""#
            let good = try CommandResult.shell(line, [copy, spool])
            #expect(good.ending == .exit(0), "\(good)")
            let counts = try #require(backup.errors.last).replacing("copied", with: "all is well:")
            #expect(good.output == [counts] && good.errors == [])
            let piped = try CommandResult.shell(
                #"cat "$1" | "$0" verify - --spool "$2""#, [copy, spool])
            #expect(piped.ending == .exit(0) && piped.output == good.output, "\(piped)")
            try checkDamaged(copy, spool)
            #expect(try FileManager.default.contentsOfDirectory(atPath: spool) == [])
            let none = try CommandResult.shell(line, [server.folder.path("none"), spool])
            #expect(none.ending == .exit(66), "\(none)")
            let unspooled = try CommandResult.shell(line, [copy, server.folder.path("none")])
            #expect(unspooled.ending == .exit(74), "\(unspooled)")
        }

        /// The program has read half of a backup then. A restoration ends in the same way.
        @Test(arguments: [SIGINT, SIGTERM])
        func aSignalRemovesTheTemporaryFolder(signal: Int32) throws {
            let store = try CopiedStore()
            let copy = try Data(contentsOf: URL(filePath: store.copy))
            let place = store.folder.path("place")
            let files = FileManager.default
            try files.createDirectory(atPath: place, withIntermediateDirectories: false)
            for name in ["verify", "restore"] {
                let fifo = store.folder.path(name)
                #expect(mkfifo(fifo, 0o600) == 0)
                // Opened for both, it does not wait for the other end.
                let gate = open(fifo, O_RDWR | O_CLOEXEC)
                defer { close(gate) }
                let arguments =
                    name == "verify"
                    ? [name, fifo, "--spool", place] : [name, "\(place)/new", "--from", fifo]
                let process = try ChildProcess(Program.server, arguments)
                let count = copy.prefix(copy.count / 2).withUnsafeBytes {
                    write(gate, $0.baseAddress, $0.count)
                }
                #expect(count == copy.count / 2)
                #expect(
                    try Deadline.isReached {
                        try files.contentsOfDirectory(atPath: place).contains {
                            files.fileExists(atPath: "\(place)/\($0)/collsync.db")
                        }
                    }, "\(process.transcript)")
                process.send(signal: signal)
                #expect(try process.wait() == .signal(signal))
                #expect(try files.contentsOfDirectory(atPath: place) == [])
            }
        }

        /// A backup with a flipped bit, one that is cut, and one that goes on behind its end.
        private func checkDamaged(_ copy: String, _ spool: String) throws {
            let bytes = try Data(contentsOf: URL(filePath: copy))
            let damaged = copy + "-damaged"
            for place in stride(from: 0, to: bytes.count, by: bytes.count / 7) {
                var flipped = bytes
                flipped[place] ^= 4
                for data in [flipped, bytes.prefix(place)] {
                    try data.write(to: URL(filePath: damaged))
                    let result = try CommandResult.shell(
                        #""$0" verify "$1" --spool "$2""#, [damaged, spool])
                    #expect(result.ending == .exit(65), "\(place): \(result)")
                    #expect(
                        result.output.count == 1
                            && result.output[0].hasPrefix("the copy can't be used: "),
                        "\(place): \(result)")
                }
            }
            try (bytes + Data([0])).write(to: URL(filePath: damaged))
            let result = try CommandResult.shell(
                #""$0" verify "$1" --spool "$2""#, [damaged, spool])
            #expect(result.ending == .exit(65), "\(result)")
        }
    }
}
