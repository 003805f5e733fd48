/// Text that somebody outside of this program has written: UTF-8, of a length that its reader
/// bounds.
///
/// It is neither `Equatable` nor `Hashable`, and no `Collection`. `String` compares by canonical
/// equivalence: two spellings are equal, and a text with many combining marks takes time that grows
/// with the square of its length. So there is no way to compare, hash or search this text but byte
/// by byte. What is a key becomes an `Identifier` or another name that compares its bytes.
package struct ForeignText: Sendable {
    private let text: String

    /// Takes bytes that may be anything; `nil` if they are longer than the limit, or no UTF-8.
    package init?(_ bytes: UnsafeRawBufferPointer, atMost limit: Int) {
        guard bytes.count <= limit, let text = String(utf8: bytes) else { return nil }
        self.text = text
    }

    /// Takes text that is bounded already: from an API that gives only a `String`.
    package init(bounded text: String) {
        self.text = text
    }

    package var byteCount: Int { text.utf8.count }
    package var isEmpty: Bool { text.isEmpty }

    /// Lends the bytes.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        text.withBytes(body)
    }

    /// Whether it has the same bytes as a text.
    package func isSame(as text: String) -> Bool {
        withBytes { text.hasSameBytes(as: $0) }
    }

    /// Whether it has the same bytes as another one.
    package func isSame(as other: ForeignText) -> Bool { isSame(as: other.text) }

    /// The choice of this name; `nil` if there is none.
    package func choice<Kind: Choice>() -> Kind? { withBytes { Kind(named: $0) } }

    /// The choice of this name; `nil` if there is none.
    package func choice<Kind: CaseIterable & RawRepresentable<String>>() -> Kind? {
        withBytes { Kind(named: $0) }
    }

    /// A `String`, to show it to people or to keep it. It must not be compared or be a key.
    package var shown: String { text }
}

/// A value that texts name, such as a kind or a role.
package protocol Choice: CaseIterable {
    /// The stable name. No two cases have the same.
    var name: String { get }
}

extension Choice {
    /// The case with a name, which may be anything. Names are compared byte by byte.
    package init?(named bytes: UnsafeRawBufferPointer) {
        let known = Self.allCases.first { $0.name.hasSameBytes(as: bytes) }
        guard let known else { return nil }
        self = known
    }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// The same for an enumeration whose raw values are the names.
    package init?(named bytes: UnsafeRawBufferPointer) {
        let known = Self.allCases.first { $0.rawValue.hasSameBytes(as: bytes) }
        guard let known else { return nil }
        self = known
    }
}

extension String {
    /// Whether it has these bytes of UTF-8.
    package func hasSameBytes(as bytes: UnsafeRawBufferPointer) -> Bool {
        withBytes { $0.count == bytes.count && $0.hasSameBytes(as: bytes) }
    }

    /// Whether two texts have the same bytes of UTF-8.
    package func hasSameBytes(as other: String) -> Bool {
        other.withBytes { hasSameBytes(as: $0) }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these are the bytes of a literal.
    package func isSame(as literal: StaticString) -> Bool {
        hasSameBytes(
            as: UnsafeRawBufferPointer(
                start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }
}
