/// Reads the beginning of a text of the server, which has no spaces between its tokens.
struct LineHead {
    private(set) var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    /// Skips a text, if it comes next.
    mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard
            rest.prefix(count).elementsEqual(
                UnsafeRawBufferPointer(start: text.utf8Start, count: count))
        else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        return true
    }

    /// Skips all up to the first one of a byte, and that.
    mutating func skip(through byte: UInt8) -> Bool {
        guard let index = rest.firstIndex(of: byte) else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[(index + 1)...])
        return true
    }

    /// Reads digits; `nil` if there are none.
    mutating func number() -> UInt64? {
        var (number, count): (UInt64, Int) = (0, 0)
        for byte in rest {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
            number = number &* 10 &+ UInt64(byte - UInt8(ascii: "0"))
            count += 1
        }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        return count > 0 ? number : nil
    }
}

extension LineHead {
    /// The beginning of the text, for errors.
    var text: String { String(decoding: rest.prefix(80), as: UTF8.self) }
}
