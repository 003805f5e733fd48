/// A key of the keyboard.
enum Key: Hashable, Sendable {
    case up, down, left, right
    case pageUp, pageDown, home, end
    case tab, backTab, enter, escape, backspace, delete
    /// A letter with the key Control, other than those with a name here.
    case control(Unicode.Scalar)
    /// Control-C.
    case interrupt
    /// Control-L.
    case redraw
    case character(Unicode.Scalar)
}

/// Decodes keys from the bytes of a terminal, however they are split.
///
/// An escape may be the escape key or begin a sequence; ``flush()`` ends the wait for its rest.
/// Unknown sequences and bytes that are no text are skipped.
struct KeyDecoder {
    private var pending: [UInt8] = []

    /// Whether the last bytes may begin a longer sequence.
    var isPending: Bool { !pending.isEmpty }

    /// The longest sequence, in bytes.
    private static let longestSequence = 32

    mutating func take(_ bytes: some Sequence<UInt8>) -> [Key] {
        pending += bytes
        var keys: [Key] = []
        var rest = pending[...]
        while !rest.isEmpty, let step = KeyDecoder.step(rest) {
            if let key = step.key { keys.append(key) }
            rest = rest.dropFirst(step.length)
        }
        pending = Array(rest)
        return keys
    }

    /// The keys of the pending bytes if no more follow.
    mutating func flush() -> [Key] {
        defer { pending = [] }
        return pending.first == KeyDecoder.escape ? [.escape] : []
    }

    // MARK: Bytes

    private static let escape: UInt8 = 0x1B

    /// The first key and its length in bytes; `nil` if more bytes are needed.
    private static func step(_ bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
        guard let first = bytes.first else { return nil }
        switch first {
        case escape: return sequence(bytes)
        case 0x03: return (.interrupt, 1)
        case 0x09: return (.tab, 1)
        case 0x0A, 0x0D: return (.enter, 1)
        case 0x0C: return (.redraw, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case 0x01...0x1A: return (.control(Unicode.Scalar(first + 0x60)), 1)
        case 0x20...0x7E: return (.character(Unicode.Scalar(first)), 1)
        case 0x80...: return character(bytes)
        default: return (nil, 1)
        }
    }

    private static func character(_ bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
        let length =
            switch bytes.first ?? 0 {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        let whole = bytes.prefix(length)
        guard length > 1, whole.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else {
            return (nil, 1)
        }
        guard whole.count == length else { return nil }
        let scalars = String(decoding: whole, as: UTF8.self).unicodeScalars
        guard let scalar = scalars.first, scalars.dropFirst().isEmpty, scalar != "\u{FFFD}" else {
            return (nil, 1)
        }
        return (.character(scalar), length)
    }

    /// Decodes bytes after an escape: the escape key alone, or a key that is sent as a sequence.
    private static func sequence(_ bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
        guard let second = bytes.dropFirst().first else { return nil }
        let rest = bytes.dropFirst(2)
        switch second {
        case UInt8(ascii: "O"):
            return rest.first.map { (final($0, parameters: []), 3) }
        case UInt8(ascii: "["):
            let body = rest.prefix { (0x20...0x3F).contains($0) }
            guard body.count <= longestSequence else { return (nil, 2 + body.count) }
            return rest.dropFirst(body.count).first.map { last in
                // A byte that interrupts a sequence does not belong to it.
                guard (0x40...0x7E).contains(last) else { return (nil, 2 + body.count) }
                return (final(last, parameters: body), 3 + body.count)
            }
        default: return (.escape, 1)
        }
    }

    /// The key that the last byte of a sequence names; modifiers are ignored.
    private static func final(_ last: UInt8, parameters: ArraySlice<UInt8>) -> Key? {
        switch last {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return .right
        case UInt8(ascii: "D"): return .left
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "M"): return .enter
        case UInt8(ascii: "Z"): return .backTab
        case UInt8(ascii: "~"): break
        default: return nil
        }
        let number = parameters.prefix { $0 != UInt8(ascii: ";") }
        return switch String(decoding: number, as: UTF8.self) {
        case "1", "7": .home
        case "3": .delete
        case "4", "8": .end
        case "5": .pageUp
        case "6": .pageDown
        default: nil
        }
    }
}
