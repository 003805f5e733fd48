import SyncBytes

/// The name of an item, a section, a field, a kind or a client: 1 to 128 bytes of UTF-8 without
/// control characters.
///
///     let milk: Identifier = "milk"
///     let typed = try Identifier(readLine() ?? "")
///     print(typed == milk, typed.text)
///
/// Names are compared byte by byte, so two spellings of one glyph are two names.
public struct Identifier: Sendable {
    /// The name as text.
    public let text: String

    /// The most bytes of UTF-8 that a name may have.
    public static let maximumLength = 128

    /// Makes a name of text that may be anything.
    ///
    /// - Throws: ``ModelError/badIdentifier`` if `text` is empty, longer than ``maximumLength``
    ///   bytes or holds a control character.
    public init(_ text: String) throws(ModelError) {
        guard text.withBytes(Identifier.isValidUTF8) else { throw .badIdentifier }
        self.text = text
    }

    /// Reads a name from bytes that may be anything.
    package init(bytes: UnsafeRawBufferPointer) throws(ModelError) {
        if bytes.isPrintableASCII, Identifier.lengths.contains(bytes.count) {
            text = String(decoding: bytes, as: UTF8.self)
            return
        }
        guard Identifier.isValidUTF8(bytes), let text = String(utf8: bytes) else {
            throw .badIdentifier
        }
        self.text = text
    }

    /// Takes bytes that were a valid name before.
    @inlinable @inline(__always)
    package init(trusted bytes: UnsafeRawBufferPointer) {
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes of the name.
    ///
    /// It does what `String.withBytes` does, which can't be called where this is inlined.
    @inlinable @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let result = text.utf8.withContiguousStorageIfAvailable {
            body(UnsafeRawBufferPointer($0))
        }
        return result ?? withCopiedBytes(body)
    }

    @usableFromInline @inline(never)
    func withCopiedBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        text.withBytes(body)
    }

    private static let lengths = 1...maximumLength

    /// Whether bytes that may be anything are a name.
    package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard lengths.contains(bytes.count) else { return false }
        return bytes.isPrintableASCII || (isValidUTF8(bytes) && bytes.isUTF8)
    }

    private static func isValidUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard lengths.contains(bytes.count) else { return false }
        var previous: UInt8 = 0
        for byte in bytes {
            // C0 and DEL are one byte; C1 (U+0080 to U+009F) is 0xC2 and a byte below 0xA0.
            if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return false }
            previous = byte
        }
        return true
    }
}

extension Identifier: Hashable, Comparable {
    /// Whether both have the same bytes.
    public static func == (left: Identifier, right: Identifier) -> Bool {
        left.withBytes { left in right.withBytes { left.hasSameBytes(as: $0) } }
    }

    /// Whether the left name comes first: the first byte that differs decides, and a prefix comes
    /// before longer names.
    public static func < (left: Identifier, right: Identifier) -> Bool {
        left.withBytes { left in right.withBytes { left.lexicographicallyPrecedes($0) } }
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: $0) }
    }
}

extension Identifier: CustomStringConvertible {
    /// The name as text.
    public var description: String { text }
}

extension Identifier: ExpressibleByStringLiteral {
    /// Makes a name of a literal in a program's source. A literal that can't be a name stops the
    /// program; for text from elsewhere there is ``init(_:)``, which throws.
    public init(stringLiteral text: String) {
        guard let name = try? Identifier(text) else {
            preconditionFailure("'\(text)' can't be a name")
        }
        self = name
    }
}
