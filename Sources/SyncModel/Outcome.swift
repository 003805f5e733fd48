/// What became of a transaction that was accepted.
public struct Commit: Sendable, Equatable {
    /// The revision it made.
    public var revision: Revision
    /// Its operations that lost against what others did, in order.
    public var superseded: [Superseded]

    /// Makes a commit.
    public init(revision: Revision, superseded: [Superseded] = []) {
        self.revision = revision
        self.superseded = superseded
    }
}

/// An operation that lost; the rest of its transaction stands.
public struct Superseded: Sendable, Equatable {
    /// Why an operation lost.
    public enum Reason: UInt8, Sendable, CaseIterable {
        /// A reason of a newer server.
        case unknown = 0
        /// What it works on was deleted.
        case deleted = 1
        /// Others' items are in the section that it deletes, so the section stays.
        case notEmpty = 2
        /// What it inserts lives already.
        case exists = 3
        /// The field that it increments holds no number, or the sum would not be finite.
        case notNumber = 4
    }

    /// The operation's index in its transaction.
    public var operation: Int
    /// Why it lost.
    public var reason: Reason

    /// Makes a report of a lost operation.
    public init(operation: Int, reason: Reason) {
        self.operation = operation
        self.reason = reason
    }
}

/// Why a transaction was refused. It has changed nothing.
public struct Rejection: Error, Sendable, Equatable {
    /// The stable codes.
    public enum Code: UInt8, Sendable, CaseIterable {
        /// A code of a newer server: the transaction has changed nothing.
        case unknown = 0
        /// The transaction says something that has no meaning.
        case malformed = 1
        /// It is over a limit of the server.
        case limitExceeded = 2
        /// A flag or the author's role forbids it.
        case notAllowed = 3
        /// Its base is above the room's revision or below an earlier base of its author.
        case badBase = 4
        /// It names an item that never was.
        case unknownItem = 5
        /// It names a section that never was, or one whose deletion its author had seen.
        case unknownSection = 6
        /// Its counter is 0, or not above the last of its author, and whether it was committed is forgotten.
        case forgotten = 7
        /// The store could not take it; nothing is lost by sending it again.
        case unavailable = 8
        /// The room was deleted while the transaction was on its way.
        case roomDeleted = 9
        /// It was made for another room of this name, or for a past that this room has lost.
        case roomChanged = 10
        /// It was refused or never came before a later one of its author was committed. It has changed
        /// nothing; why it was refused is no longer known.
        case refused = 11
    }

    /// The index of the operation that is at fault, if it is one of them.
    public var operation: Int?
    /// What is wrong, for programs.
    public var code: Code
    /// What is wrong and what to do, for people.
    public var message: String

    /// Makes a rejection.
    public init(operation: Int? = nil, code: Code, message: String) {
        self.operation = operation
        self.code = code
        self.message = message
    }
}
