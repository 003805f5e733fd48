import ArgumentParser
import CollSync
import Glibc
import SyncTerminal

/// `delete-room ROOM`: deletes a room.
struct DeleteRoom: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-room",
        abstract: "Delete a room with all its content and history.",
        discussion: "The exit code is 1 if that is not confirmed.")

    @ParentCommand var parent: CollSyncCLI
    @OptionGroup var options: ServerOptions

    @Argument(help: "The room's name.")
    var room: String

    @Flag(name: .long, help: "Don't ask.")
    var yes = false

    func validate() throws {
        guard yes || Terminal.hasKeyboard else {
            throw ValidationError("nobody can confirm this here; add --yes to delete the room")
        }
    }

    func run() async throws {
        let options = options.resolved(parent.options)
        try await perform {
            guard yes || DeleteRoom.isConfirmed(room) else {
                throw Failure("nothing is deleted", exitCode: 1)
            }
            let client = try await options.connect()
            defer { client.closeAndWait() }
            try await client.deleteRoom(room)
            if !options.printsJSON { try Output().write(text: "\(room) is deleted\n") }
        }
    }

    private static func isConfirmed(_ room: String) -> Bool {
        Terminal.say("Delete \(room) with all that is in it and all its history? Type yes:")
        return readLine() == "yes"
    }
}
