/// Why a name, a value or a content can't be part of a room.
public enum ModelError: Error, Equatable, Sendable {
    /// A name is empty, longer than ``Identifier/maximumLength`` bytes, not UTF-8 or holds a
    /// control character.
    case badIdentifier
    /// A number, or a length of a size, is infinite or not a number.
    case badNumber
    /// An integer that was read is beyond ±2^53, where doubles are not exact. The text is the path
    /// of its field, with dots between names, such as `price.cents`; empty if it is in no field.
    case inexactInteger(String)
    /// A value has more than ``Value/maximumDepth`` lists and objects within each other.
    case tooDeep
    /// Two fields of one object, item, section or supplementary have this name, or two
    /// supplementaries this kind.
    case duplicateName(String)
    /// Bytes that were read do not encode what they should.
    case malformed
}

extension ModelError: CustomStringConvertible {
    /// What is wrong, for people: a sentence without a full stop.
    public var description: String { explanation }

    /// What is wrong, for people: a sentence without a full stop.
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
}

extension ModelError {
    /// The error for a failed read: a ``ModelError`` stays itself, and any other error means that
    /// the bytes are malformed.
    package init(_ error: any Error) {
        self = error as? ModelError ?? .malformed
    }
}
