package import SyncBytes

// What values of fields are made of. All of it goes by bytes.
extension ForeignText {
    /// Whether it is a text but for the case of ASCII letters.
    package func isSame(ignoringCaseOf text: String) -> Bool {
        withBytes { bytes in text.withBytes { bytes.isSame(ignoringCaseOf: $0) } }
    }

    package func hasPrefix(_ prefix: String) -> Bool { shown.utf8.starts(with: prefix.utf8) }

    /// What follows a prefix; `nil` if it does not begin with that.
    package func rest(behind prefix: String) -> ForeignText? {
        hasPrefix(prefix) ? ForeignText(shown.utf8.dropFirst(prefix.utf8.count)) : nil
    }

    /// The parts between separators, without those that are empty.
    ///
    /// - Parameter separator: an ASCII character.
    package func parts(between separator: Unicode.Scalar) -> [ForeignText] {
        shown.utf8.split(separator: UInt8(truncatingIfNeeded: separator.value))
            .map { ForeignText($0) }
    }

    /// It without the spaces around it.
    package var trimmed: ForeignText {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var bytes = shown.utf8.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return ForeignText(bytes)
    }

    /// A part of a text, between whole scalars.
    private init(_ part: Substring.UTF8View) {
        self.init(bounded: String(Substring(part)))
    }
}

extension UnsafeRawBufferPointer {
    func isSame(ignoringCaseOf other: UnsafeRawBufferPointer) -> Bool {
        func lowercased(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        return count == other.count
            && indices.allSatisfy { lowercased(self[$0]) == lowercased(other[$0]) }
    }
}
