import CollSync
import SyncJSON
import SyncModel
import SyncTerminal

/// Translates between the lines of a joined room and its events. One console is for programs, one
/// for people.
protocol RoomConsole: Sendable {
    /// The command in a line.
    func read(_ line: LineReader.Line, number: Int) -> ConsoleCommand
    /// Shows events.
    func show(_ events: [RoomEvent]) throws
    /// Shows changes of a view.
    func show(_ update: ViewLine) throws
    /// Shows where a drop would now put the item that is dragged in a view.
    func show(_ target: DragTargetLine) throws
    /// Shows changes of other members.
    func show(_ changes: [PresenceChange]) throws
    /// Shows a clipboard with items that were copied or cut.
    func show(_ clipboard: Clipboard) throws
    /// Shows the result of a paste.
    func show(_ pasted: Pasted, of clipboard: Clipboard) throws
    /// Answers a line that needs nothing from the server, or can't be carried out.
    func answer(_ reply: ConsoleReply) throws
}

extension RoomConsole {
    /// A console without views has nothing to show.
    func show(_ update: ViewLine) throws {}
    /// It has no drags either.
    func show(_ target: DragTargetLine) throws {}
}

/// The command in a line.
enum ConsoleCommand: Sendable, Equatable {
    case transaction(
        [ListOperation], base: Revision?, number: UInt64?, origin: RoomOrigin? = nil,
        isAllOrNothing: Bool = false)
    case view(ViewCommand)
    case drag(DragCommand)
    case presence(PresenceCommand)
    case clipboard(ClipboardCommand)
    /// An answer at once, without the server.
    case reply(ConsoleReply)
    /// Ends the input.
    case quit
    case nothing
}

/// An answer to a line without the server.
enum ConsoleReply: Sendable, Equatable {
    /// The line is no command.
    case unreadable(String)
    /// The server does not support the command.
    case unsupported(String)
    /// The command has failed, now or later.
    case failed(ServerLine.Failure)
    /// Text for a person.
    case text(TerminalText)
}
