/// Finds where an element of a list, or a member of an object, ends, in text that comes in pieces.
///
/// It only counts brackets outside strings and judges nothing: what it finds is parsed afterwards.
struct ElementScanner {
    /// How many brackets are open.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// How many bytes of the element have been looked at.
    private(set) var length = 0

    /// Looks at more of the text, from where it stopped.
    ///
    /// - Parameter text: what there is of the element, from its beginning, and what follows it.
    /// - Returns: whether the end is found; the element has ``length`` bytes then.
    mutating func scan(_ text: UnsafeRawBufferPointer) -> Bool {
        while length < text.count {
            let byte = text[length]
            if isInString {
                passInString(byte)
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: ",") where depth == 0: return true
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return true }
                    depth -= 1
                default: break
                }
            }
            length += 1
        }
        return false
    }

    private mutating func passInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        }
    }
}
