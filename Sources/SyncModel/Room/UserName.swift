/// Who has signed in: the name of a user, or nobody. Names are compared byte by byte, as an
/// ``Identifier``.
@usableFromInline
package struct UserName: Sendable, Hashable {
    /// The name; `nil` for nobody.
    @usableFromInline package let name: Identifier?

    package init(_ name: Identifier?) {
        self.name = name
    }

    /// Nobody.
    package static let nobody = UserName(nil)

    /// Reads a name of bytes that may be anything, where none stands for nobody; `nil` if they
    /// can't be one.
    package init?(bytes: UnsafeRawBufferPointer) {
        if bytes.isEmpty {
            self = .nobody
            return
        }
        guard let name = try? Identifier(bytes: bytes) else { return nil }
        self.name = name
    }

    /// Whether both have the same bytes, or both are nobody.
    ///
    /// It is written by hand so that it is inlined: each transaction compares two.
    @inlinable
    package static func == (left: UserName, right: UserName) -> Bool {
        guard let left = left.name, let right = right.name else {
            return left.name == nil && right.name == nil
        }
        return left == right
    }

    /// Whether nobody has signed in.
    package var isNobody: Bool { name == nil }

    /// The name as text; empty for nobody.
    package var text: String { name?.text ?? "" }
}

extension UserName: CustomStringConvertible {
    @usableFromInline package var description: String { text }
}

extension UserName: ExpressibleByStringLiteral {
    /// Makes a name of a literal in a program's source; the empty one is nobody's.
    @usableFromInline
    package init(stringLiteral text: String) {
        self.init(text.isEmpty ? nil : Identifier(stringLiteral: text))
    }
}
