/// Finds the end of a list element or an object member, in text that arrives in pieces.
///
/// It only counts brackets outside strings, and checks nothing: the parser does that afterwards.
struct ElementScanner {
    /// How many brackets are open.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// The number of the element's bytes that were scanned.
    private(set) var length = 0

    /// Scans more of the text, from where it stopped.
    ///
    /// - Parameter text: all text so far from the element's beginning on; it may extend beyond the
    ///   element.
    /// - Returns: whether the end was found; then the element has ``length`` bytes.
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
