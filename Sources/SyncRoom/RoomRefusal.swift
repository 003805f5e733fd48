import SyncLayout
package import SyncModel
package import SyncWire

/// Why a room does not do what a client asks for, as the client is told: for example, there is no
/// such room, or a view or a drag has ended.
package struct RoomRefusal: Error, Equatable, Sendable {
    package let code: ErrorCode
    package let text: String
    /// In how many milliseconds the same may succeed; 0 if that is not known.
    package let retryAfterMilliseconds: UInt32

    package init(code: ErrorCode, text: String, retryAfterMilliseconds: UInt64 = 0) {
        self.code = code
        self.text = text
        self.retryAfterMilliseconds = UInt32(clamping: retryAfterMilliseconds)
    }

    /// The refusal as a message to the client.
    package func message(about subject: ErrorSubject) -> ErrorMessage {
        ErrorMessage(code, text, about: subject, retryAfterMilliseconds: retryAfterMilliseconds)
    }
}

extension RoomRefusal {
    package static let badSecret = RoomRefusal(
        code: .badSecret, text: "the client id belongs to a client with another secret")
    static let isMember = RoomRefusal(
        code: .unsupported, text: "this connection is in the room already")
    static let isReplaced = RoomRefusal(
        code: .replaced, text: "the client is in the room on a later connection")
    static let outOfMemory = RoomRefusal(
        code: .unavailable, text: "the server is short of memory; open the view again in a while")
    static let storeFailed = RoomRefusal(
        code: .unavailable, text: "the store has failed, and everything is back at its place")
    static let deleted = RoomRefusal(code: .badDrag, text: "the item was deleted")
    static let notMovable = RoomRefusal(
        code: .notAllowed, text: "the item is not movable")
    init(_ error: LayoutError) {
        let code: ErrorCode =
            switch error {
            case .batchMismatch: .internalError
            case .itemCount, .totalItemCount, .columnCount, .tooManyElements, .tooLarge, .tooLong:
                .limitExceeded
            }
        self.init(code: code, text: error.explanation)
    }
}

extension Rejection {
    /// The store can't take it now.
    package static let unavailable = Rejection(
        code: .unavailable, message: "the store can't take it now; send it again in a while")
    /// It was made for content that is not of this room's history.
    package static let roomChanged = Rejection(
        code: .roomChanged,
        message: "it was made for another room of this name, or for changes that the room has lost;"
            + " look at the room as it is, and make it again if it still makes sense")
    /// The room was deleted.
    package static let roomDeleted = Rejection(
        code: .roomDeleted, message: "the room was deleted")
    static let forgotten = Rejection(
        code: .forgotten,
        message: "it may have been committed, or not: its outcome is no longer known; look at the"
            + " room, and make it again if it is missing")
    /// No slot is left for another author.
    static let tooManyAuthors = Rejection(
        code: .limitExceeded, message: "the room has had as many authors as it can have")
    /// It was not committed, and its author has committed a later one.
    static let refused = Rejection(
        code: .refused,
        message: "it has changed nothing: it was refused, or never came, before a later one of its"
            + " author was committed; why is no longer known")
    static let outOfMemory = Rejection(
        code: .unavailable, message: "the server is short of memory; send it again in a while")
    /// The room, or the server, takes no more for a while.
    static func overRate(retryAfterMilliseconds wait: UInt64) -> Rejection {
        later("more was written lately than may be in a second", wait)
    }
    /// Its holder has used its share of what the room, or the server, takes in a second.
    static func overShare(retryAfterMilliseconds wait: UInt64) -> Rejection {
        later("you have written your share of what may be written in a second", wait)
    }
    /// Its holder has written as much as it may.
    static func overOwnRate(retryAfterMilliseconds wait: UInt64) -> Rejection {
        later("you have written as much as you may in a second", wait)
    }
    /// - Parameter why: why it is refused for now, as a clause.
    private static func later(_ why: String, _ wait: UInt64) -> Rejection {
        Rejection(
            code: .unavailable, message: "\(why); send it again in \(wait) milliseconds",
            retryAfterMilliseconds: UInt32(clamping: wait))
    }
    /// Its holder has used its share of memory or disk.
    ///
    /// - Parameter intake: which transactions it may still send.
    static func overShare(_ intake: Intake.Measure) -> Rejection {
        Rejection(
            code: .unavailable,
            message: intake == .deletes
                ? "you hold your share of the server's memory, with your part of the rooms you are"
                    + " in; delete something, or leave a room, and send it again"
                : "you have written your share of the server's disk; delete rooms, or wait until"
                    + " there is more free, and send it again")
    }
}
