import ArgumentParser
import SyncIO
import SyncModel
import SyncServer
import SyncStore
import SyncTerminal

/// `collsync purge`.
struct PurgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Take the content of items out of a store for good.",
        discussion: """
            Deletes the items if they are in the room, and makes a new image of it. The room's older log and \
            snapshots are removed, and all free pages of the database, so that no file of the store has \
            anything of the items. The room begins an epoch, and its clients get snapshots.

            No server may use the store. Backups that were made before still have the items, and so have \
            clients that do not come back.

            The audit trail gets a line of kind 'purge', which does not name the items.
            """)

    @Argument(help: "The folder of the store.")
    var directory: String

    @Argument(help: "The room.")
    var room: RoomName

    @Option(help: "The id of an item; may be given several times.")
    var item: [Identifier]

    @OptionGroup var size: RoomSizeOptions

    @OptionGroup var audit: CommandTrailOptions

    func validate() throws {
        guard !item.isEmpty else { throw ValidationError("say which --item") }
    }

    func run() throws {
        var generator = SystemRandomNumberGenerator()
        var purge = RoomPurge(item)
        var trail: CommandTrail?
        let most = size.memoryBytes
        do throws(StoreError) {
            try StorePurge.purge(
                directory: directory, room: room, at: .now, atMost: most
            ) { stored throws(StoreError) in
                let image = try purge.makeImage(of: room, stored, atMost: most) { generator.next() }
                trail = try audit.open(in: directory)
                return image
            }
            report(item, deleted: purge.deleted)
            try trail?.write([
                AuditEvent(
                    .purge, time: ClockReading.now.wallClockMilliseconds, room: room,
                    detail: "\(purge.deleted.count) of \(Set(item).count) items were in the room")
            ])
        } catch {
            throw fail("\(error.advice)", ExitCode(error))
        }
        if let trail { writeOutput("noted in the audit trail, \(trail.folder)") }
    }

    private func report(_ items: [Identifier], deleted: [Identifier]) {
        for item in items {
            let isDeleted = deleted.contains(item)
            writeOutput(
                isDeleted
                    ? "item '\(item.text)' is deleted" : "item '\(item.text)' was not in the room")
        }
        writeOutput(
            "room '\(room)': all log and snapshots before now are gone, and so are free pages")
        writeOutput("not reached: backups that were made before, and what clients have kept")
    }
}
