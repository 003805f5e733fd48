import SyncBytes

/// A text that was parsed.
struct ParsedText {
    let bytes: UnsafeRawBufferPointer
    let values: UnsafeBufferPointer<JSONValue>
    /// Where it stands in a larger text.
    let path: JSONPath
    /// How much was made of it that takes longer than bytes which are only looked at: elements of
    /// lists, values of any kind, keys that clients choose or that were hashed, numbers to round,
    /// and names that an error lists.
    var made = 0

    /// A text, or a key.
    func text(of value: JSONValue) -> ForeignText {
        ForeignText(
            bounded: value.kind == .text
                ? String(decoding: value.bytes(in: bytes), as: UTF8.self)
                : String(decoding: JSONEscapes.bytes(of: value, in: bytes), as: UTF8.self))
    }

    /// The keys and indices that lead to a value. Only errors need them, so they are searched for.
    ///
    /// - Complexity: O(n) for n values.
    func path(to index: Int) -> JSONPath {
        var (container, path) = (0, path)
        while container != index {
            let isObject = values[container].kind == .object
            var (place, number) = (container + 1, 0)
            // The one that it is, or is in, ends behind it.
            while true {
                let value = isObject ? place + 1 : place
                if index < values[value].end {
                    path =
                        isObject
                        ? .key(text(of: values[place]).shown, of: path) : .index(number, of: path)
                    container = value
                    break
                }
                place = Int(values[value].end)
                number += 1
            }
        }
        return path
    }
}
