import SyncBytes
package import SyncModel

/// Names rooms: one by its whole name, or all that begin alike by `team-*`, or all by `*`.
package struct RoomPattern: Sendable, Hashable, CustomStringConvertible {
    /// The room's name, or what the names begin with; `nil` for nothing, with which all begin.
    private let name: Identifier?
    private let isPrefix: Bool

    /// Reads a pattern of bytes that may be anything; `nil` if it is empty, longer than a room's
    /// name may be, or has a `*` that is not its last character, or a character that no room's name
    /// has.
    package init?(bytes: UnsafeRawBufferPointer) {
        isPrefix = bytes.last == UInt8(ascii: "*")
        let rest = isPrefix ? UnsafeRawBufferPointer(rebasing: bytes.dropLast()) : bytes
        if isPrefix, rest.isEmpty {
            name = nil
            return
        }
        guard !rest.contains(UInt8(ascii: "*")), RoomName(bytes: rest) != nil else { return nil }
        name = try? Identifier(bytes: rest)
    }

    /// Reads a pattern of text that may be anything.
    package init?(_ text: String) {
        guard let pattern = text.withBytes({ RoomPattern(bytes: $0) }) else { return nil }
        self = pattern
    }

    /// All rooms.
    package static let all = RoomPattern(prefix: nil)

    private init(prefix: Identifier?) {
        name = prefix
        isPrefix = true
    }

    package var description: String { (name?.text ?? "") + (isPrefix ? "*" : "") }

    /// Whether it names every room.
    package var namesAll: Bool { isPrefix && name == nil }

    /// Whether it names a room. Names are compared byte by byte, so no other spelling of a letter
    /// gives access.
    package func names(_ room: RoomName) -> Bool {
        guard let name else { return isPrefix }
        return name.withBytes { name in
            room.text.withBytes { room in
                isPrefix ? room.starts(with: name) : room.hasSameBytes(as: name)
            }
        }
    }
}
