import SyncBytes
import SyncModel

/// Recognizes canonical content in one pass over its bytes, so that it can be used as it is instead
/// of being parsed and written again.
///
/// Other content may be invalid, or valid in another order, and is parsed. For canonical content,
/// parsing and writing give the same bytes; a test compares the two.
struct CanonicalContent {
    var reader: ByteReader
    /// How many more fields there may be.
    private var fieldsLeft: Int

    /// The item whose canonical body `bytes` are.
    static func item(_ bytes: UnsafeRawBufferPointer, maximumFields: Int) -> Item? {
        var scan = CanonicalContent(bytes, maximumFields)
        guard let id = scan.id() else { return nil }
        let content = scan.reader.rest
        guard scan.passes({ scan throws(ByteError) in try scan.itemContent() }) else { return nil }
        return Item(
            id: Identifier(trusted: id),
            content: content.isEmpty ? ItemContent() : ItemContent(trusted: content))
    }

    /// The section whose canonical body `bytes` are.
    static func section(_ bytes: UnsafeRawBufferPointer, maximumFields: Int) -> ListSection? {
        var scan = CanonicalContent(bytes, maximumFields)
        guard let id = scan.id() else { return nil }
        let content = scan.reader.rest
        guard scan.passes({ scan throws(ByteError) in try scan.sectionContent() }) else {
            return nil
        }
        return ListSection(
            id: Identifier(trusted: id),
            content: content.isEmpty ? SectionContent() : SectionContent(trusted: content))
    }

    /// Whether the bytes are an item's canonical body.
    static func isItem(_ bytes: UnsafeRawBufferPointer, maximumFields: Int) -> Bool {
        var scan = CanonicalContent(bytes, maximumFields)
        return scan.id() != nil
            && scan.passes { scan throws(ByteError) in try scan.itemContent() }
    }

    /// Whether the bytes are a section's canonical body.
    static func isSection(_ bytes: UnsafeRawBufferPointer, maximumFields: Int) -> Bool {
        var scan = CanonicalContent(bytes, maximumFields)
        return scan.id() != nil
            && scan.passes { scan throws(ByteError) in try scan.sectionContent() }
    }

    /// The id that an item's or a section's body begins with; then the reader is behind it.
    private mutating func id() -> UnsafeRawBufferPointer? {
        do throws(ByteError) {
            guard take(Tag.id), let id = try body(), Identifier.isValid(id) else { return nil }
            return id
        } catch {
            return nil
        }
    }

    /// Whether a check says yes; what can't be read does not.
    private mutating func passes(
        _ check: (inout CanonicalContent) throws(ByteError) -> Bool
    ) -> Bool {
        do throws(ByteError) { return try check(&self) } catch { return false }
    }

    init(_ bytes: UnsafeRawBufferPointer, _ maximumFields: Int) {
        reader = ByteReader(bytes)
        fieldsLeft = maximumFields
    }

    // MARK: Messages

    /// Tags of one byte: field number and wire type.
    private enum Tag {
        static let id: UInt8 = 1 << 3 | 2
        static let itemKind: UInt8 = 2 << 3 | 2
        static let itemSize: UInt8 = 3 << 3 | 2
        static let itemFields: UInt8 = 4 << 3 | 2
        static let itemFlags: UInt8 = 5 << 3 | 2
        static let sectionFields: UInt8 = 2 << 3 | 2
        static let sectionSupplementaries: UInt8 = 3 << 3 | 2
        static let sectionFlags: UInt8 = 4 << 3 | 2
        static let supplementarySize: UInt8 = 2 << 3 | 2
        static let supplementaryFields: UInt8 = 3 << 3 | 2
        static let width: UInt8 = 1 << 3 | 1
        static let height: UInt8 = 2 << 3 | 1
        static let fieldValue: UInt8 = 2 << 3 | 2
        static let element: UInt8 = 1 << 3 | 2
        static let null: UInt8 = 1 << 3
        static let bool: UInt8 = 2 << 3
        static let integer: UInt8 = 3 << 3
        static let double: UInt8 = 4 << 3 | 1
        static let text: UInt8 = 5 << 3 | 2
        static let list: UInt8 = 6 << 3 | 2
        static let object: UInt8 = 7 << 3 | 2
    }

    private mutating func itemContent() throws(ByteError) -> Bool {
        if take(Tag.itemKind) {
            guard let kind = try body(), Identifier.isValid(kind) else { return false }
        }
        if take(Tag.itemSize) {
            guard try inner({ scan throws(ByteError) in try scan.size() }) else { return false }
        }
        guard try fields(Tag.itemFields, depth: 0) else { return false }
        if take(Tag.itemFlags) {
            guard try inner({ scan throws(ByteError) in try scan.flags(ItemFlags.all.rawValue) })
            else { return false }
        }
        return reader.isAtEnd
    }

    private mutating func sectionContent() throws(ByteError) -> Bool {
        guard try fields(Tag.sectionFields, depth: 0) else { return false }
        guard try supplementaries(Tag.sectionSupplementaries) else { return false }
        if take(Tag.sectionFlags) {
            guard try inner({ scan throws(ByteError) in try scan.flags(SectionFlags.all.rawValue) })
            else { return false }
        }
        return reader.isAtEnd
    }

    /// Supplementaries by ascending kind, each behind `tag`.
    mutating func supplementaries(_ tag: UInt8) throws(ByteError) -> Bool {
        var previous = UnsafeRawBufferPointer(start: nil, count: 0)
        while take(tag) {
            guard let body = try body() else { return false }
            var scan = CanonicalContent(body, fieldsLeft)
            guard scan.take(Tag.id), let kind = try scan.body(), Identifier.isValid(kind),
                previous.lexicographicallyPrecedes(kind), try scan.supplementary()
            else { return false }
            previous = kind
            fieldsLeft = scan.fieldsLeft - 1
        }
        return fieldsLeft >= 0
    }

    /// A supplementary behind its kind.
    private mutating func supplementary() throws(ByteError) -> Bool {
        if take(Tag.supplementarySize) {
            guard try inner({ scan throws(ByteError) in try scan.size() }) else { return false }
        }
        return try fields(Tag.supplementaryFields, depth: 0) && reader.isAtEnd
    }

    mutating func size() throws(ByteError) -> Bool {
        for tag in [Tag.width, Tag.height] where take(tag) {
            let number = try reader.readDouble()
            guard number.isFinite, number != 0 else { return false }
        }
        return reader.isAtEnd
    }

    /// Reads flags, each at most once and ascending. `known` has a bit for each that may be there.
    /// Their values are at most `highest`: with 0, all are false.
    mutating func flags(_ known: UInt8, upTo highest: UInt8 = 0) throws(ByteError) -> Bool {
        var previous: UInt8 = 0
        repeat {
            let tag = try reader.readByte()
            guard tag & 7 == 0, tag > previous, (8...64).contains(tag),
                known & (1 << (tag >> 3 - 1)) != 0, try reader.readByte() <= highest
            else { return false }
            previous = tag
        } while !reader.isAtEnd
        return true
    }

    // MARK: Values

    /// Fields by ascending name, each behind `tag`.
    mutating func fields(_ tag: UInt8, depth: Int) throws(ByteError) -> Bool {
        var previous = UnsafeRawBufferPointer(start: nil, count: 0)
        while take(tag) {
            guard let body = try body() else { return false }
            var scan = CanonicalContent(body, fieldsLeft)
            guard scan.take(Tag.id), let name = try scan.body(), Identifier.isValid(name),
                previous.lexicographicallyPrecedes(name), scan.take(Tag.fieldValue),
                let value = try scan.body(), scan.reader.isAtEnd,
                try CanonicalContent.isValue(value, depth: depth)
            else { return false }
            previous = name
            if depth == 0 { fieldsLeft -= 1 }
        }
        return fieldsLeft >= 0
    }

    private static func isValue(
        _ bytes: UnsafeRawBufferPointer, depth: Int
    ) throws(ByteError) -> Bool {
        var scan = CanonicalContent(bytes, 0)
        let isCanonical: Bool
        switch try scan.reader.readByte() {
        case Tag.null: isCanonical = try scan.reader.readByte() == 1
        case Tag.bool: isCanonical = try scan.reader.readByte() <= 1
        case Tag.integer: isCanonical = try scan.integer()
        case Tag.double: isCanonical = needsDouble(try scan.reader.readDouble())
        case Tag.text:
            guard let text = try scan.body() else { return false }
            isCanonical = text.isUTF8
        case Tag.list: isCanonical = try scan.list(depth: depth)
        case Tag.object:
            guard depth < Value.maximumDepth, let body = try scan.body() else { return false }
            var inner = CanonicalContent(body, 0)
            isCanonical = try inner.fields(Tag.element, depth: depth + 1) && inner.reader.isAtEnd
        default: return false
        }
        return isCanonical && scan.reader.isAtEnd
    }

    /// Whether a number can only be written as a double.
    private static func needsDouble(_ number: Double) -> Bool {
        guard Value.exactIntegers.contains(number) else { return number.isFinite }
        return number != Double(Int64(number))
    }

    private mutating func integer() throws(ByteError) -> Bool {
        let before = reader.count
        let number = try reader.readZigzag()
        let zigzag = UInt64(bitPattern: (number << 1) ^ (number >> 63))
        return before - reader.count == ByteWriter.varintSize(zigzag)
            && (-(1 << 53)...(1 << 53)).contains(number)
    }

    private mutating func list(depth: Int) throws(ByteError) -> Bool {
        guard depth < Value.maximumDepth, let body = try body() else { return false }
        var scan = CanonicalContent(body, 0)
        while scan.take(Tag.element) {
            guard let value = try scan.body(),
                try CanonicalContent.isValue(value, depth: depth + 1)
            else { return false }
        }
        return scan.reader.isAtEnd
    }

    // MARK: Steps

    /// Passes over the tag, if it comes next.
    @inline(__always)
    mutating func take(_ tag: UInt8) -> Bool {
        reader.pass(tag)
    }

    /// A length in its shortest form and that many bytes.
    @inline(__always)
    mutating func body() throws(ByteError) -> UnsafeRawBufferPointer? {
        // Most are short, and a length of one byte is in its shortest form.
        if let length = reader.nextByte, length < 0x80 {
            _ = reader.pass(length)
            return try reader.readBytes(Int(length))
        }
        return try longBody()
    }

    private mutating func longBody() throws(ByteError) -> UnsafeRawBufferPointer? {
        let before = reader.count
        let body = try reader.readLengthDelimited()
        let size = before - reader.count - body.count
        return size == ByteWriter.varintSize(UInt64(body.count)) ? body : nil
    }

    /// Whether the next body, which must not be misshapen, passes.
    mutating func inner(
        _ passes: (inout CanonicalContent) throws(ByteError) -> Bool
    ) throws(ByteError) -> Bool {
        guard let body = try body() else { return false }
        var scan = CanonicalContent(body, 0)
        return try passes(&scan)
    }
}
