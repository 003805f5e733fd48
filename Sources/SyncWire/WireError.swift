package import SyncModel

/// Why input is not a valid message, and what that affects.
package enum WireError: Error, Equatable, Sendable {
    /// The stream can't be read any further: send an error, and close.
    case broken(ErrorCode, String)
    /// A request, or a message for a room, is invalid but can be answered.
    case refused(ErrorSubject, ErrorCode, String)
    /// A transaction is invalid: answer with a ``Reject``.
    case refusedSubmit(room: RoomHandle, counter: UInt64, Rejection)
    /// A message of a newer or another kind, by its field number in `Frame`: a server answers
    /// ``ErrorCode/unsupported``, a client skips it.
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

    /// The same error for the room of a handle, if it is about a room.
    package func readdressed(to handle: RoomHandle) -> WireError {
        switch self {
        case .refused(let subject, let code, let text):
            .refused(subject.readdressed(to: handle), code, text)
        case .refusedSubmit(_, let counter, let rejection):
            .refusedSubmit(room: handle, counter: counter, rejection)
        case .broken, .unknownMessage: self
        }
    }

    /// The error to send to the other side, where a ``Reject`` is not the answer.
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
        case .token: self = .broken(.badToken, error.explanation)
        case .malformed, .meaningless, .model, .limit:
            self = .broken(.badMessage, error.explanation)
        }
    }
}
