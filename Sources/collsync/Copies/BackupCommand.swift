import ArgumentParser
import Glibc
import SyncIO
import SyncModel
import SyncStore
import SyncTerminal

/// `collsync backup`.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a store, also while a server uses it.",
        discussion: """
            Writes one stream with the rooms as they are now: their images and their logs. The lines of the file \
            with revocations are in it, too. It goes to \
            standard output, so that other programs can encrypt or send it, or with --to to a file. \
            'collsync restore' reads it.

            The server does not wait for the copy. As long as the store is being read, the server's \
            write-ahead log (collsync.db-wal) can't start again. If it grows beyond --max-log, the copy is \
            given up with exit code 75. So what goes to standard output is first collected in a temporary \
            file without a name, and a slow reader delays nothing.
            """)

    @Argument(help: "The folder that was given to 'serve' as --data.")
    var directory: String

    @Option(help: "A room to copy; may be given several times (default: all rooms).")
    var room: [RoomName] = []

    @Option(help: "The file to write. It is replaced when the copy is whole.")
    var to: String?

    @Option(
        help: ArgumentHelp(
            "The server's --revocations (default: 'revocations' in the folder).",
            valueName: "file"))
    var revocations: String?

    @Option(help: "How large the server's write-ahead log may become meanwhile.")
    var maxLog = SizeArgument(bytes: 1 << 30)

    @Option(
        help: """
            The folder of the temporary file (default: TMPDIR or /tmp). It needs space for the whole copy.
            """)
    var spool: String?

    func run() throws {
        guard to != nil || isatty(STDOUT_FILENO) == 0 else {
            throw ValidationError("a copy is not for a terminal: say --to, or use a pipe")
        }
        do throws(StoreError) {
            let counts = try copy()
            if counts.revocations > 0 { writeError("copied \(counts.revocations) revocations") }
            writeError(
                "copied \(counts.rooms) rooms, \(counts.records) records, \(counts.snapshots) snapshots"
            )
        } catch {
            throw fail("\(error)", ExitCode(error))
        }
    }

    private func copy() throws(StoreError) -> BackupCounts {
        let file =
            if let to { try CopyFile(replacing: to) } else {
                try CopyFile(temporaryIn: spool ?? usualSpool)
            }
        let counts = try StoreBackup.write(
            directory: directory, rooms: room.isEmpty ? nil : room, revocations: revocations,
            maximumLogBytes: UInt64(maxLog.bytes),
            timeMilliseconds: ClockReading.now.wallClockMilliseconds
        ) { bytes throws(StoreError) in
            try file.write(bytes)
        }
        if to == nil { try file.send(to: STDOUT_FILENO) } else { try file.finish() }
        return counts
    }
}
