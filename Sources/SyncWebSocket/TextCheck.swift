/// Checks that text is UTF-8 while it arrives in pieces that may be cut anywhere (RFC 3629).
struct TextCheck: Equatable {
    /// How many bytes of the current character are missing.
    private var missing = 0
    /// What its next byte may be. This excludes characters in longer forms than the shortest,
    /// surrogates, and numbers that are no characters.
    private var next: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether no character is cut here.
    var isComplete: Bool { missing == 0 }

    /// - Returns: whether the text so far may go on as UTF-8.
    mutating func admits(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                index += TextCheck.countOfASCII(UnsafeRawBufferPointer(rebasing: bytes[index...]))
                guard index < bytes.count else { return true }
                guard begin(bytes[index]) else { return false }
            } else {
                guard next.contains(bytes[index]) else { return false }
                missing -= 1
                next = 0x80...0xBF
            }
            index += 1
        }
        return true
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: (missing, next) = (1, 0x80...0xBF)
        case 0xE0: (missing, next) = (2, 0xA0...0xBF)
        case 0xED: (missing, next) = (2, 0x80...0x9F)
        case 0xE1...0xEF: (missing, next) = (2, 0x80...0xBF)
        case 0xF0: (missing, next) = (3, 0x90...0xBF)
        case 0xF1...0xF3: (missing, next) = (3, 0x80...0xBF)
        case 0xF4: (missing, next) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }

    /// How many bytes at the beginning are ASCII; eight are looked at together.
    private static func countOfASCII(_ bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        while count + 8 <= bytes.count,
            bytes.loadUnaligned(fromByteOffset: count, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            count += 8
        }
        while count < bytes.count, bytes[count] < 0x80 { count += 1 }
        return count
    }
}
