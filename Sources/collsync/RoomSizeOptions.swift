import ArgumentParser
import SyncStore

/// The flag of commands that read rooms which others may have made.
struct RoomSizeOptions: ParsableArguments {
    @Option(
        help: """
            The most bytes a room may have, as it is stored without compression, and in memory. The command may take \
            some times as much. A room of a server fits if its --max-room-bytes does.
            """)
    var maxRoomBytes = SizeArgument(bytes: 2 << 30)

    func validate() throws {
        guard maxRoomBytes.bytes >= 1 << 20 else {
            throw ValidationError("--max-room-bytes must be at least 1M")
        }
    }
}

extension StoreError {
    /// The error for people who can say `--max-room-bytes`.
    var advice: String {
        guard case .tooLarge = self else { return description }
        return "\(description); if it is to be read, raise --max-room-bytes"
    }
}
