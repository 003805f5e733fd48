import ArgumentParser
import Glibc
import SyncIO
import SyncServer
import SyncStore
import SyncTerminal

/// `collsync verify`.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check a store or a backup from end to end.",
        discussion: """
            Reads and replays every record and snapshot of every room. It checks checksums, continuity, \
            that each snapshot matches the records before it, and by the file collsync.tail that the last \
            commits are there. It changes nothing. It exits with 0 if all is \
            well, or with 65 after printing what is wrong. A store in use can't be checked.

            A read-only copy can be checked, too. The write-ahead log (collsync.db-wal) that a killed \
            server leaves belongs to the store: copy it with collsync.db.

            A file is a backup that 'collsync backup' has made. It is restored into a temporary folder, which is \
            removed at the end, and the first mistake is printed. So all is checked that 'restore' checks.
            """)

    @Argument(
        help: """
            The folder that was given to 'serve' as --data, or a file with a backup, or '-' for a backup on \
            standard input.
            """)
    var path: String

    @OptionGroup var size: RoomSizeOptions

    @Option(
        help: """
            For a backup, the folder of the temporary folder (default: TMPDIR or /tmp). It needs up to twice the \
            space of the backup.
            """)
    var spool: String?

    func run() throws {
        if try isBackup { try verifyBackup() } else { try verifyStore() }
    }

    private var isBackup: Bool {
        get throws {
            if path == "-" {
                guard isatty(STDIN_FILENO) == 0 else {
                    throw ValidationError("a backup does not come from a terminal: use a pipe")
                }
                return true
            }
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
        }
    }

    private func verifyBackup() throws {
        do throws(StoreError) {
            let summary = try checkBackup()
            let revocations = summary.revocations > 0 ? ", \(summary.revocations) revocations" : ""
            writeOutput(
                "all is well: \(summary.rooms) rooms, \(summary.copiedRecords) records, \(summary.copiedSnapshots) snapshots\(revocations)"
            )
        } catch {
            let code = ExitCode(error)
            guard code == .badData else { throw fail("\(error)", code) }
            writeOutput("\(error.advice)")
            throw code
        }
    }

    private func checkBackup() throws(StoreError) -> RestoreSummary {
        let descriptor = path == "-" ? nil : try CopyFile.openForReading(path)
        defer { if let descriptor { close(descriptor) } }
        var generator = SystemRandomNumberGenerator()
        let (now, most) = (ClockReading.now, size.memoryBytes)
        let rooms = RestoredRooms(
            wallClockMilliseconds: now.wallClockMilliseconds, atMost: most
        ) {
            generator.next()
        }
        return try withSpoolFolder { folder throws(StoreError) in
            try StoreRestore.check(
                in: spool ?? usualSpool, through: folder, atMost: most, at: now, by: rooms,
                checkedBy: RoomVerifier(atMost: most)
            ) { memory throws(StoreError) in
                try CopyFile.read(into: memory, from: descriptor ?? STDIN_FILENO)
            }
        }
    }

    private func verifyStore() throws {
        let summary: StoreVerifier.Summary
        do throws(StoreError) {
            summary = try StoreVerifier.verify(
                directory: path, replay: RoomVerifier(atMost: size.memoryBytes),
                atMost: size.memoryBytes,
                report: { finding in writeOutput("\(finding.advice)") })
        } catch {
            throw fail("\(error)", ExitCode(error))
        }
        switch summary.tail {
        case .reached, .lost: break
        case .missing, .unreadable: writeOutput("not checked: \(summary.tail.description ?? "")")
        }
        let checked =
            "\(summary.rooms) rooms, \(summary.records) records, \(summary.snapshots) snapshots"
        if summary.findings == 0 {
            writeOutput("all is well: \(checked)")
        } else {
            writeOutput("\(summary.findings) things are wrong: \(checked)")
            throw ExitCode.badData
        }
    }
}
