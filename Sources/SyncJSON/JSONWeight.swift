/// About how much memory a text takes while it is parsed. That depends on how many values it has
/// rather than on its length: `{},{},…` counts forty times, `0,0,…` thirty times, and a long text
/// once.
///
/// Invalid JSON may weigh anything. Its parsing ends where it becomes invalid.
///
/// # Performance
/// A byte takes some nanoseconds.
package struct JSONWeight {
    private var isInText = false
    private var isEscaped = false
    /// The weight of what was added.
    package private(set) var bytes = 0

    /// A value: its place in the list of values, and what is made of it.
    private static let valueBytes = 64
    /// A text: the same, and where its bytes are.
    private static let textBytes = 32

    package init() {}

    /// The weight of a whole text.
    package static func of(_ text: UnsafeRawBufferPointer) -> Int {
        var weight = JSONWeight()
        weight.add(text)
        return weight.bytes
    }

    /// Adds a part of the text.
    package mutating func add(_ text: UnsafeRawBufferPointer) {
        for byte in text {
            if isInText {
                bytes += 1
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: ","):
                bytes += JSONWeight.valueBytes
            case UInt8(ascii: "\""):
                isInText = true
                bytes += JSONWeight.textBytes
            default: break
            }
        }
    }
}
