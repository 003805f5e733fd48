import CollSync
import SyncJSON
import SyncModel

/// The clipboard of a client that has joined a room through lines.
struct RoomClipboard {
    private let room: CollectionRoom
    private let console: any RoomConsole
    private var clipboard: Clipboard?

    init(room: CollectionRoom, console: any RoomConsole) {
        self.room = room
        self.console = console
    }

    /// Carries out a command, and waits until it is done.
    ///
    /// - Parameter willSubmit: called before each transaction for the room.
    mutating func obey(_ command: ClipboardCommand, willSubmit: () -> Void) async throws {
        do {
            switch command {
            case .copy(let ids): try store(try await room.copy(ids))
            case .cut(let ids): try store(try await room.cut(ids))
            case .paste(let given?, let place):
                var given = given
                try console.show(
                    try await room.paste(&given, to: place, willSubmit: willSubmit), of: given)
            case .paste(nil, let place):
                guard var own = clipboard else {
                    return try console.answer(.failed(.nothingToPaste))
                }
                let pasted = try await room.paste(&own, to: place, willSubmit: willSubmit)
                clipboard = own
                try console.show(pasted, of: own)
            }
        } catch let error as CollectionError {
            // The room reports a rejection as an event, and its end too.
            guard error.rejection == nil, error.code != "closed" else { return }
            try console.answer(.failed(ServerLine.Failure(error)))
        }
    }

    private mutating func store(_ clipboard: Clipboard) throws {
        self.clipboard = clipboard
        try console.show(clipboard)
    }
}

extension ServerLine.Failure {
    fileprivate static let nothingToPaste = ServerLine.Failure(
        code: "nothingToPaste", message: "there is nothing to paste; copy or cut something first")
}
