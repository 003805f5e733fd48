import SyncJSON
import SyncModel

/// Writes lines of comma-separated values (RFC 4180): UTF-8, with CR and LF behind each line.
///
/// A text is written as it is, also one that a spreadsheet takes for a formula: other programs
/// would take what guards against that for a part of the text.
struct CSVWriter {
    private(set) var bytes: [UInt8] = []
    private var isAtStart = true

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")

    /// Writes the next field of the line. An empty text is in quotes, a missing one is not.
    mutating func write(_ text: String?) {
        if isAtStart { isAtStart = false } else { bytes.append(CSVWriter.comma) }
        guard let text else { return }
        let needsQuotes = text.isEmpty || text.utf8.contains(where: CSVWriter.isSpecial)
        guard needsQuotes else { return bytes.append(contentsOf: text.utf8) }
        bytes.append(CSVWriter.quote)
        for byte in text.utf8 {
            if byte == CSVWriter.quote { bytes.append(CSVWriter.quote) }
            bytes.append(byte)
        }
        bytes.append(CSVWriter.quote)
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == comma || byte == quote || byte == 0x0A || byte == 0x0D
    }

    /// Writes a value: a text as it is, anything else as JSON.
    mutating func write(_ value: Value?) {
        switch value {
        case nil: write(nil as String?)
        case .text(let text): write(text)
        case let value?:
            var writer = JSONWriter()
            writer.write(value)
            write(String(decoding: writer.bytes, as: UTF8.self))
        }
    }

    mutating func endLine() {
        bytes.append(0x0D)
        bytes.append(0x0A)
        isAtStart = true
    }
}
