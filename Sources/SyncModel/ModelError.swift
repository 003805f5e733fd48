/// Why something a person or a program made can't be part of a room.
public enum ModelError: Error, Equatable, Sendable {
    /// A name is empty, longer than 128 bytes, not UTF-8 or holds a control character.
    case badIdentifier
    /// A number is not finite.
    case badNumber
    /// An integer is beyond ±2^53, where doubles are not exact: of the field of this name, with those of the
    /// fields around it before it; empty if it is in none.
    case inexactInteger(String)
    /// A value is nested deeper than ``Value/maximumDepth``.
    case tooDeep
    /// One name stands twice where it may stand once.
    case duplicateName(String)
    /// The bytes are not what they should encode.
    case malformed
}

extension ModelError {
    /// What to tell people.
    package var explanation: String {
        switch self {
        case .badIdentifier:
            "a name is not 1 to \(Identifier.maximumLength) bytes of UTF-8 without control characters"
        case .badNumber: "a number is not finite"
        case .inexactInteger(let field):
            (field.isEmpty ? "an integer" : "an integer in '\(field)'")
                + " is beyond ±2^53, where numbers are not exact"
        case .tooDeep: "a value is nested more than \(Value.maximumDepth) deep"
        case .duplicateName(let name): "the name '\(name)' stands twice"
        case .malformed: "an item's or a section's content does not fit the schema"
        }
    }

    /// What an error met while reading says about what was read: one of its own kind is itself, any
    /// other means that the bytes are wrong.
    package init(_ error: any Error) {
        self = error as? ModelError ?? .malformed
    }
}
