/// A value in a text of JSON: what it is, and where.
///
/// ``JSONScanner`` lists the values of a text in its order. Behind an object come its members, each
/// as a key and a value, and behind a list its elements.
struct JSONValue: BitwiseCopyable {
    enum Kind: UInt8, BitwiseCopyable {
        case object, list
        /// A text, or a key; one with escapes has to be decoded.
        case text, escapedText
        /// A number without a fraction and without an exponent, and any other.
        case integer, real
        case yes, no, null
    }

    let kind: Kind
    /// Where its bytes begin. Those of a text are between the quotes.
    let start: UInt32
    /// How many bytes it has; of a container, how many members or elements.
    var count: UInt32
    /// The index behind it, and behind all that is in it.
    var end: UInt32

    /// The bytes of a value that is no container.
    func bytes(in text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = Int(start)
        return UnsafeRawBufferPointer(rebasing: text[start..<start + Int(count)])
    }
}
