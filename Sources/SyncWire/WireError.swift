package import SyncModel

/// Why what came in is not a message, and how far the harm goes.
package enum WireError: Error, Equatable, Sendable {
    /// The stream can't be read on: tell the other side, and close.
    case broken(ErrorCode, String)
    /// What is asked for in a request or of a room, and can be answered, but not granted.
    case refused(Channel, ErrorCode, String)
    /// A transaction that can't be: answer with a ``Reject``.
    case refusedSubmit(room: RoomHandle, counter: UInt64, Rejection)
    /// A message of a newer or another kind, by its field number in `Frame`: a server answers
    /// ``ErrorCode/unsupported``, a client passes over it.
    case unknownMessage(Int)
}

extension WireError {
    /// What to tell the other side about it, where a ``Reject`` is not the answer.
    package var message: ErrorMessage {
        switch self {
        case .broken(let code, let text): ErrorMessage(code, text)
        case .refused(let channel, let code, let text):
            ErrorMessage(code, text, channel: channel)
        case .refusedSubmit(let room, _, let rejection):
            ErrorMessage(.badMessage, rejection.message, channel: .room(room))
        case .unknownMessage(let number):
            ErrorMessage(.unsupported, "this server does not know message \(number)")
        }
    }
}

extension WireError {
    init(_ error: FieldError) {
        switch error {
        case .refused(let channel, let code, let text):
            self = .refused(channel, code, text)
        case .handshake: self = .broken(.badHandshake, error.explanation)
        case .malformed, .meaningless, .model, .limit:
            self = .broken(.badMessage, error.explanation)
        }
    }
}
