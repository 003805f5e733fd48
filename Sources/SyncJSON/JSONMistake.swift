/// Why a text is no JSON, and where it begins not to be.
struct JSONMistake: Error {
    let message: String
    /// The byte that can't be there.
    let position: Int

    init(_ message: String, at position: Int) {
        self.message = message
        self.position = position
    }

    /// The sentence for the error. Most texts are single lines, and the program that prints the
    /// error knows their number.
    func sentence(in text: UnsafeRawBufferPointer) -> String {
        let before = text.prefix(position)
        let lines = before.count { $0 == UInt8(ascii: "\n") }
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        // The bytes of a character behind its first one begin with the bits 10.
        let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        return "is not JSON: \(message) "
            + (lines > 0 ? "(line \(lines + 1) of it, column \(column))" : "(column \(column))")
    }
}
