import ArgumentParser
import Glibc
import SyncIO
import SyncModel
import SyncServer
import SyncTerminal

/// `collsync audit`.
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Print who came, who was refused, and what admins did.",
        discussion: """
            Reads the audit trail that 'collsync serve' writes, also while it does. Each line has a time, the address, the \
            user, what it was, and the code if it was refused. A last line that is torn is passed over.

            Kinds are connect, signIn, renew, join, read, edit, deleteRoom, share, revoke, retireKey, purge, restore (of a room \
            that was replaced), and lost: so many lines could not be written. Of connect, read, edit and renew only refusals are noted. 'leftOut' counts lines that were left out, \
            because there were too many of one user or address.
            """)

    @Argument(help: "The folder that was given to 'serve' as --audit, or as --data.")
    var directory: String

    @Option(help: "Only what was done by this user, and by those with whom the user shares rooms.")
    var user: Identifier?

    @Option(help: "Only what is about this room.")
    var room: RoomName?

    @Option(help: "Only this kind.")
    var kind: String?

    @Option(help: "From this time on: 2026-01-31, 2026-01-31T12:34:56Z, or a time ago such as 12h.")
    var since: AuditTime?

    @Option(help: "Before this time.")
    var until: AuditTime?

    @Flag(help: "Print JSON, an object a line.")
    var json = false

    func validate() throws {
        let kinds = AuditEvent.Kind.allCases.map(\.rawValue) + [AuditLine.lost]
        if let kind, !kinds.contains(kind) {
            throw ValidationError("--kind must be one of \(kinds.joined(separator: ", "))")
        }
    }

    func run() throws {
        var filter = AuditReader.Filter(user: user, room: room, kind: kind)
        let now = ClockReading.now.wallClockMilliseconds
        filter.since = since.map { UTCTime.text(milliseconds: $0.milliseconds(at: now)) }
        filter.until = until.map { UTCTime.text(milliseconds: $0.milliseconds(at: now)) }
        var reader = AuditReader(directory)
        do throws(FileFailure) {
            try reader.read(filter) { line in
                if json { write(line.text) } else { writeOutput(AuditCommand.shown(line)) }
            }
        } catch {
            throw fail("\(error)", error.code == ENOENT ? .noInput : .inputOutput)
        }
        guard reader.badLines == 0 else {
            throw fail("\(reader.badLines) lines can't be read", .badData)
        }
    }

    /// A JSON line has no character that commands a terminal, see `LineLogHandler.quoted`.
    private func write(_ line: String) {
        DescriptorWriter.write(Array((line + "\n").utf8), to: STDOUT_FILENO) { nil }
    }

    /// A value in quotes, if it could be taken for more than one.
    private static func delimited(_ value: String) -> String {
        let signs = [UInt8](" =\"".utf8)
        return value.utf8.contains(where: signs.contains) ? LineLogHandler.quoted(value) : value
    }

    /// A line for people.
    static func shown(_ line: AuditLine) -> TerminalText {
        var text: TerminalText = "\(line["time"]) \(line["kind"])"
        for name in ["user", "sharer", "address", "room", "token"] where !line[name].isEmpty {
            text += " \(name)=\(delimited(line[name]))"
        }
        if line["kind"] != AuditLine.lost {
            text += line["code"].isEmpty ? " done" : " refused=\(line["code"])"
        }
        if !line["leftOut"].isEmpty { text += " leftOut=\(line["leftOut"])" }
        if !line["detail"].isEmpty { text += ": \(line["detail"])" }
        return text
    }
}

/// A point in time on the command line: a ``TimeArgument``, a day, or how long ago.
enum AuditTime: ExpressibleByArgument, Equatable {
    case at(milliseconds: UInt64)
    case ago(DurationArgument)

    init?(argument: String) {
        if let time = TimeArgument(argument: argument)
            ?? TimeArgument(argument: "\(argument)T00:00:00Z")
        {
            self = .at(milliseconds: time.milliseconds)
        } else if let duration = DurationArgument(argument: argument) {
            self = .ago(duration)
        } else {
            return nil
        }
    }

    func milliseconds(at now: UInt64) -> UInt64 {
        switch self {
        case .at(let milliseconds): milliseconds
        case .ago(let duration): now - min(now, duration.milliseconds)
        }
    }
}
