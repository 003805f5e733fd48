package import SyncModel

/// Why what came in is not a message, and how far the harm goes.
package enum WireError: Error, Equatable, Sendable {
    /// The stream can't be read on: tell the other side, and close.
    case broken(ErrorCode, String)
    /// What is asked for in a request or of a room, and can be answered, but not granted.
    case refused(ErrorSubject, ErrorCode, String)
    /// A transaction that can't be: answer with a ``Reject``.
    case refusedSubmit(room: RoomHandle, counter: UInt64, Rejection)
    /// A message of a newer or another kind, by its field number in `Frame`: a server answers
    /// ``ErrorCode/unsupported``, a client passes over it.
    case unknownMessage(Int)
}

extension WireError {
    /// Whether it is about a room, or something in it.
    package var isAboutRoom: Bool {
        switch self {
        case .refused(let subject, _, _): subject.room != nil
        case .refusedSubmit: true
        case .broken, .unknownMessage: false
        }
    }

    /// The same about the room of a handle, if it is about a room.
    package func readdressed(to handle: RoomHandle) -> WireError {
        switch self {
        case .refused(let subject, let code, let text):
            .refused(subject.readdressed(to: handle), code, text)
        case .refusedSubmit(_, let counter, let rejection):
            .refusedSubmit(room: handle, counter: counter, rejection)
        case .broken, .unknownMessage: self
        }
    }

    /// What to tell the other side about it, where a ``Reject`` is not the answer.
    package var message: ErrorMessage {
        switch self {
        case .broken(let code, let text): ErrorMessage(code, text)
        case .refused(let subject, let code, let text):
            ErrorMessage(code, text, about: subject)
        case .refusedSubmit(let room, let counter, let rejection):
            ErrorMessage(
                .badMessage, rejection.message, about: .transaction(counter, in: room))
        case .unknownMessage(let number):
            ErrorMessage(.unsupported, "this server does not know message \(number)")
        }
    }
}

extension WireError {
    init(_ error: FieldError) {
        switch error {
        case .refused(let subject, let code, let text):
            self = .refused(subject, code, text)
        case .handshake: self = .broken(.badHandshake, error.explanation)
        case .malformed, .meaningless, .model, .limit:
            self = .broken(.badMessage, error.explanation)
        }
    }
}
