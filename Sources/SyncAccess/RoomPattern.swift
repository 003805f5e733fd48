package import SyncModel

/// Names rooms: one by its whole name, or all that begin alike by `team-*`, or all by `*`.
package struct RoomPattern: Sendable, Hashable, CustomStringConvertible {
    private let text: String
    private let isPrefix: Bool

    /// Parses a pattern; `nil` if it is empty, longer than a room's name may be, or has a `*` that
    /// is not its last character, or a character that no room's name has.
    package init?(_ pattern: String) {
        isPrefix = pattern.hasSuffix("*")
        text = isPrefix ? String(pattern.dropLast()) : pattern
        if isPrefix, text.isEmpty { return }
        guard !text.utf8.contains(UInt8(ascii: "*")), RoomName(text) != nil else { return nil }
    }

    /// All rooms.
    package static let all = RoomPattern(prefix: "")

    private init(prefix: String) {
        text = prefix
        isPrefix = true
    }

    package var description: String { isPrefix ? text + "*" : text }

    /// Whether it names every room.
    package var namesAll: Bool { isPrefix && text.isEmpty }

    /// Whether it names a room. Names are compared byte by byte, so no other spelling of a letter
    /// gives access.
    package func names(_ room: RoomName) -> Bool {
        isPrefix ? room.text.utf8.starts(with: text.utf8) : room.text.utf8.elementsEqual(text.utf8)
    }
}
