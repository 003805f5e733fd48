/// The result of a transaction that was accepted.
public struct Commit: Sendable, Equatable {
    /// The revision that it made.
    public var revision: Revision
    /// Its operations that lost against what others did, by ascending index.
    public var superseded: [Superseded]

    /// Makes a commit.
    public init(revision: Revision, superseded: [Superseded] = []) {
        self.revision = revision
        self.superseded = superseded
    }
}

/// An operation that lost against what others did. The rest of its transaction was applied.
public struct Superseded: Sendable, Equatable {
    /// Why an operation lost.
    public enum Reason: UInt8, Sendable, CaseIterable {
        /// A reason that only a newer program knows.
        case unknown = 0
        /// The item or the section that it is about was deleted.
        case deleted = 1
        /// Others' items are in the section that it deletes, so the section stays.
        case notEmpty = 2
        /// An item or a section of the id that it inserts is in the room.
        case exists = 3
        /// The field that it increments holds no number, or the sum would not be finite.
        case notNumber = 4
        /// Its guard covers something that has changed (``Superseded/changed``).
        case changed = 5
    }

    /// The operation's index in its transaction, from 0.
    public var operation: Int
    /// Why it lost.
    public var reason: Reason
    /// What has changed, if the reason is ``Reason/changed``.
    public var changed: GuardedChanges

    /// Makes a report of a lost operation.
    public init(operation: Int, reason: Reason, changed: GuardedChanges = []) {
        self.operation = operation
        self.reason = reason
        self.changed = changed
    }
}

/// Why a transaction was refused. It has changed nothing.
///
///     do {
///         try await room.submit(.move("milk", to: .end(of: "done")))
///     } catch {
///         switch error.rejection?.code {
///         case .notAllowed: print("milk stays where it is:", error.message)
///         case .limitExceeded: print("the room is full:", error.message)
///         default: throw error
///         }
///     }
public struct Rejection: Error, Sendable, Equatable {
    /// The codes, which are stable.
    public enum Code: UInt8, Sendable, CaseIterable {
        /// A code that only a newer program knows.
        case unknown = 0
        /// The transaction makes no sense, such as a number that is not finite.
        case malformed = 1
        /// It is over a limit of the server, or the room is full.
        case limitExceeded = 2
        /// A flag of an item or a section, or the author's role, forbids it.
        case notAllowed = 3
        /// Its base is above the room's revision or below an earlier base of its author.
        case badBase = 4
        /// It names an item that never was.
        case unknownItem = 5
        /// It names a section that never was, or one whose deletion its author had seen.
        case unknownSection = 6
        /// Its number is 0, or not above its author's last one, and the room does not know any more
        /// whether it was committed.
        case forgotten = 7
        /// The store could not take it, or the server is short of memory. A `CollectionRoom` sends
        /// it again by itself, after a while.
        case unavailable = 8
        /// The room was deleted while the transaction was on its way.
        case roomDeleted = 9
        /// It was made for another room of this name, or for a revision that this room has lost.
        case roomChanged = 10
        /// A later transaction of its author was committed, and this one was refused before, or
        /// never arrived. Why it was refused is not known any more.
        case refused = 11
        /// It asks for all of its operations or none, and the guard of one has changed.
        case conflict = 12
    }

    /// The index of the operation that is at fault, from 0; `nil` if it is none of them.
    public var operation: Int?
    /// What is wrong, for programs.
    public var code: Code
    /// In how many milliseconds it may be accepted; 0 if that is not known.
    public var retryAfterMilliseconds: UInt32
    /// What is wrong and what to do, as a sentence for people.
    public var message: String

    /// Makes a rejection.
    public init(
        operation: Int? = nil, code: Code, message: String, retryAfterMilliseconds: UInt32 = 0
    ) {
        self.operation = operation
        self.code = code
        self.retryAfterMilliseconds = retryAfterMilliseconds
        self.message = message
    }
}

extension Rejection: CustomStringConvertible {
    /// The sentence for people.
    public var description: String { message }
}
