import ArgumentParser
import Glibc
import SyncIO
import SyncModel
import SyncServer
import SyncStore
import SyncTerminal

/// `collsync restore`.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make rooms of a copy that 'collsync backup' has made.",
        discussion: """
            The copy comes from standard input or with --from out of a file. It is restored into a new \
            folder, or into a store that no server uses. Nothing is changed before the whole copy was read, \
            checked and replayed.

            A room keeps its id, and begins an epoch: clients that know later revisions get the room as it \
            is. With --as it becomes another room, with an id of its own and without its past.

            The revocations of the copy that the folder lacks are added to its file 'revocations', also if only one room \
            is restored. None is ever removed.

            For each room that is replaced, the audit trail gets a line of kind 'restore'.
            """)

    @Argument(help: "The folder of the store.")
    var directory: String

    @Option(help: "The file to read.")
    var from: String?

    @Option(help: "A room to restore; may be given several times (default: all rooms).")
    var room: [RoomName] = []

    @Option(name: .customLong("as"), help: "The name under which the room becomes another room.")
    var newName: RoomName?

    @Option(
        help: """
            Restore each room up to its last record at or before this time, such as \
            2026-11-26T12:00:00Z or 2026-11-26T13:00:00+01:00.
            """)
    var until: TimeArgument?

    @Flag(help: "Replace rooms that exist.")
    var replace = false

    @Option(
        help: ArgumentHelp(
            "The file that gets the revocations of the copy, as the server's --revocations.",
            valueName: "file"))
    var revocations: String?

    @OptionGroup var size: RoomSizeOptions

    @OptionGroup var audit: CommandTrailOptions

    func validate() throws {
        guard newName == nil || room.count == 1 else {
            throw ValidationError("--as needs exactly one --room")
        }
    }

    func run() throws {
        guard from != nil || isatty(STDIN_FILENO) == 0 else {
            throw ValidationError("a copy does not come from a terminal: say --from, or use a pipe")
        }
        var options = RestoreOptions()
        options.rooms = room
        options.newName = newName
        options.replaces = replace
        options.untilMilliseconds = until?.milliseconds
        options.revocations = revocations
        options.maximumRoomBytes = size.memoryBytes
        do throws(StoreError) {
            let summary = try restore(options)
            writeOutput("restored \(summary.rooms) rooms, \(summary.records) records")
            if summary.revocations > 0 {
                writeOutput("added \(summary.revocations) revocations")
            }
            for room in summary.absent { writeOutput("room '\(room)' did not exist at that time") }
        } catch {
            throw fail("\(error.advice)", ExitCode(error))
        }
    }

    private func restore(_ options: RestoreOptions) throws(StoreError) -> RestoreSummary {
        let descriptor = try from.map { path throws(StoreError) in
            try CopyFile.openForReading(path)
        }
        defer { if let descriptor { close(descriptor) } }
        var generator = SystemRandomNumberGenerator()
        let now = ClockReading.now
        let rooms = RestoredRooms(
            wallClockMilliseconds: now.wallClockMilliseconds, atMost: options.maximumRoomBytes
        ) {
            generator.next()
        }
        var trail: CommandTrail?
        let summary = try withSpoolFolder { folder throws(StoreError) in
            try StoreRestore.restore(
                into: directory, options, through: folder, at: now, by: rooms,
                checkedBy: RoomVerifier(atMost: options.maximumRoomBytes),
                willReplace: { () throws(StoreError) in trail = try audit.open(in: directory) }
            ) { memory throws(StoreError) in
                try CopyFile.read(into: memory, from: descriptor ?? STDIN_FILENO)
            }
        }
        try trail?.write(
            summary.replaced.map { room in
                AuditEvent(
                    .restore, time: now.wallClockMilliseconds, room: room,
                    detail: "replaced by that of a backup")
            })
        return summary
    }
}
