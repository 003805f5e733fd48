import ArgumentParser
import SyncServer
import SyncStore
import SyncTerminal

/// `collsync verify`.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check a store from end to end.",
        discussion: """
            Reads and replays every record and snapshot of every room. It checks checksums, continuity, \
            that each snapshot matches the records before it, and by the file collsync.tail that the last \
            commits are there. It changes nothing. It exits with 0 if all is \
            well, or with 65 after printing what is wrong. A store in use can't be checked.

            A read-only copy can be checked, too. The write-ahead log (collsync.db-wal) that a killed \
            server leaves belongs to the store: copy it with collsync.db.
            """)

    @Argument(help: "The folder that was given to 'serve' as --data.")
    var directory: String

    func run() throws {
        let summary: StoreVerifier.Summary
        do throws(StoreError) {
            summary = try StoreVerifier.verify(
                directory: directory, replay: RoomVerifier(),
                report: { finding in writeOutput("\(finding)") })
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
