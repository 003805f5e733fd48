/// Why something a person or a program made can't be part of a room.
public enum ModelError: Error, Equatable, Sendable {
    /// A name is empty, longer than 128 bytes, not UTF-8 or holds a control character.
    case badIdentifier
    /// A number is not finite.
    case badNumber
    /// A value is nested deeper than ``Value/maximumDepth``.
    case tooDeep
    /// One name stands twice where it may stand once.
    case duplicateName(String)
    /// The bytes are not what they should encode.
    case malformed
}

extension ModelError {
    /// What an error met while reading says about what was read: one of its own kind is itself, any
    /// other means that the bytes are wrong.
    package init(_ error: any Error) {
        self = error as? ModelError ?? .malformed
    }
}
