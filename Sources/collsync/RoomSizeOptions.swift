import ArgumentParser
import SyncStore

/// The flag of commands that read rooms which others may have made.
struct RoomSizeOptions: ParsableArguments {
    @Option(
        help: """
            The most bytes of a room: with less than the server's --max-room-bytes, a room of that server may be \
            too large. The command may take some times as much.
            """)
    var maxRoomBytes = SizeArgument(bytes: 2 << 30)

    /// What is allowed while a room is read: half more, for what the reading itself takes.
    var memoryBytes: Int { maxRoomBytes.bytes + maxRoomBytes.bytes / 2 }

    func validate() throws {
        guard (1 << 20...1 << 43).contains(maxRoomBytes.bytes) else {
            throw ValidationError("--max-room-bytes must be from 1M to 8T")
        }
    }
}

private func advice(onSize description: String) -> String {
    "\(description); if it is to be read, raise --max-room-bytes"
}

extension StoreError {
    /// The error for people who can say `--max-room-bytes`.
    var advice: String {
        guard case .tooLarge = self else { return description }
        return collsync.advice(onSize: description)
    }
}

extension StoreFinding {
    /// The finding for people who can say `--max-room-bytes`.
    var advice: String {
        isTooLarge ? collsync.advice(onSize: description) : description
    }
}
