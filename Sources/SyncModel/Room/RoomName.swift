/// A room's name: like an ``Identifier``, and without `/`.
package struct RoomName: Sendable, Hashable, Comparable, CustomStringConvertible {
    private let name: Identifier

    /// Makes a name; `nil` if `text` can't be one.
    package init?(_ text: String) {
        guard !text.utf8.contains(UInt8(ascii: "/")), let name = try? Identifier(text) else {
            return nil
        }
        self.name = name
    }

    /// Reads a name from bytes that may be anything; `nil` if they can't be one.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= Identifier.maximumLength, !bytes.contains(UInt8(ascii: "/")),
            let name = try? Identifier(bytes: bytes)
        else { return nil }
        self.name = name
    }

    /// The bytes of the name.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        name.withBytes(body)
    }

    /// The name as text.
    package var text: String { name.text }

    package var description: String { text }

    package static func < (left: RoomName, right: RoomName) -> Bool {
        left.name < right.name
    }
}
