import CollSync
import SyncJSON
import SyncModel
import SyncTerminal

/// How a room looks to who joined it: lines in, lines out. One is for programs, one for people.
protocol RoomConsole: Sendable {
    /// What a line asks for.
    func read(_ line: LineReader.Line, number: Int) -> ConsoleCommand
    /// Shows what happened.
    func show(_ events: [RoomEvent]) throws
    /// Shows what became of a view that a line has opened.
    func show(_ update: ViewLine) throws
    /// Shows where the item that is dragged in a view would be dropped now.
    func show(_ target: DragTargetLine) throws
    /// Shows what became different with the others.
    func show(_ changes: [PresenceChange]) throws
    /// Shows what was copied or cut.
    func show(_ clipboard: Clipboard) throws
    /// Shows what became of a paste.
    func show(_ pasted: Pasted, of clipboard: Clipboard) throws
    /// Answers a line that can't be done, or that asks something of this side only.
    func answer(_ reply: ConsoleReply) throws
}

extension RoomConsole {
    /// Who opens no views has none to show.
    func show(_ update: ViewLine) throws {}
    /// Nor does it drag anything there.
    func show(_ target: DragTargetLine) throws {}
}

/// What a line asks for.
enum ConsoleCommand: Sendable, Equatable {
    case transaction([ListOperation], base: Revision?, number: UInt64?, origin: RoomOrigin? = nil)
    case view(ViewCommand)
    case drag(DragCommand)
    case presence(PresenceCommand)
    case clipboard(ClipboardCommand)
    /// An answer at once; nothing for the server.
    case reply(ConsoleReply)
    /// The end, as if no more lines came.
    case quit
    case nothing
}

/// What is answered to a line without the server.
enum ConsoleReply: Sendable, Equatable {
    /// The line says nothing that has a meaning.
    case unreadable(String)
    /// The line asks for what the server does not offer.
    case unsupported(String)
    /// What the line asked for can't be had, now or later.
    case failed(ServerLine.Failure)
    /// Text for a person.
    case text(TerminalText)
}
