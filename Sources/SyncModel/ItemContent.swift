package import SyncBytes

/// What an item holds: its kind, size, fields and flags.
///
/// It is kept as the bytes of the protocol's message `Item` behind the id, in the canonical form of
/// `ValueCoding`: the engine stores them, the store and the wire copy them, and two contents are
/// equal exactly when their bytes are.
///
/// # Performance
/// Reading a property scans the bytes: O(n) for n bytes.
public struct ItemContent: Sendable, Hashable {
    @usableFromInline package let bytes: [UInt8]

    /// Field numbers of the message `Item`.
    @usableFromInline
    package enum Number {
        @inlinable package static var id: Int { 1 }
        @inlinable package static var kind: Int { 2 }
        @inlinable package static var size: Int { 3 }
        @inlinable package static var fields: Int { 4 }
        @inlinable package static var flags: Int { 5 }
    }

    /// Makes empty content: no kind, no size, no fields, everything allowed.
    public init() {
        bytes = []
    }

    /// Makes content from its parts.
    ///
    /// - Parameters:
    ///   - kind: the reuse identifier by which an app dequeues a cell.
    ///   - size: in points; without one the layout decides.
    ///   - fields: in any order, each name once.
    ///   - flags: what may be done with the item.
    /// - Throws: as ``Item/init(_:_:kind:size:flags:)``.
    public init(
        kind: Identifier? = nil, size: ListSize? = nil, fields: [Field] = [],
        flags: ItemFlags = .all
    ) throws(ModelError) {
        var writer = ByteWriter(capacity: 64)
        if let kind { writer.write(field: Number.kind, utf8Of: kind.text) }
        if let size { try ItemContent.write(size, to: &writer) }
        try ValueCoding.write(fields, as: Number.fields, to: &writer)
        writer.write(disabled: ItemFlags.all.rawValue & ~flags.rawValue, as: Number.flags)
        bytes = writer.makeArray()
    }

    /// Takes bytes that were canonical content before.
    @inlinable
    package init(trusted bytes: [UInt8]) {
        self.bytes = bytes
    }

    @inlinable
    package init(trusted bytes: UnsafeRawBufferPointer) {
        self.bytes = [UInt8](bytes)
    }

    package static func write(_ size: ListSize, to writer: inout ByteWriter) throws(ModelError) {
        writer.write(tag: Number.size, .lengthDelimited)
        let mark = writer.beginLengthDelimited()
        try ValueCoding.write(size, to: &writer)
        writer.endLengthDelimited(mark)
    }

    /// The reuse identifier by which an app dequeues a cell; `nil` if it has none.
    public var kind: Identifier? { parts.kind }
    /// The size in points; `nil` if the layout decides.
    public var size: ListSize? { parts.size }
    /// The fields, sorted by name.
    public var fields: [Field] { parts.fields }
    /// What may be done with the item.
    public var flags: ItemFlags { parts.flags }

    /// Everything at once, from bytes known to be good.
    package var parts: ItemParts {
        // Canonical bytes always parse; if they did not, the content would read as empty.
        (try? bytes.withUnsafeBytes { bytes throws(ModelError) in try ItemParts(bytes) })
            ?? ItemParts()
    }
}

/// An item's content taken apart.
package struct ItemParts: Sendable, Equatable {
    package var id: Identifier?
    package var kind: Identifier?
    package var size: ListSize?
    package var fields: [Field] = []
    package var flags = ItemFlags.all

    package init() {}

    /// Reads a message `Item`, which may come from anywhere.
    ///
    /// - Throws: ``ModelError`` for what has no place in a room.
    package init(_ bytes: UnsafeRawBufferPointer) throws(ModelError) {
        var reader = ByteReader(bytes)
        do {
            while let (field, type) = try reader.readTag() {
                switch (field, type) {
                case (ItemContent.Number.id, .lengthDelimited):
                    id = try Identifier(bytes: try reader.readLengthDelimited())
                case (ItemContent.Number.kind, .lengthDelimited):
                    let text = try reader.readLengthDelimited()
                    kind = text.isEmpty ? nil : try Identifier(bytes: text)
                case (ItemContent.Number.size, .lengthDelimited):
                    size = try ValueCoding.readSize(try reader.readLengthDelimited())
                case (ItemContent.Number.fields, .lengthDelimited):
                    fields.append(try ValueCoding.readField(try reader.readLengthDelimited()))
                case (ItemContent.Number.flags, .lengthDelimited):
                    let disabled = try FlagBits.readDisabled(try reader.readLengthDelimited())
                    flags = ItemFlags(rawValue: ItemFlags.all.rawValue & ~disabled)
                default: try reader.skip(type)
                }
            }
        } catch {
            throw ModelError(error)
        }
    }
}

extension Item {
    /// Reads a message `Item`, which may come from anywhere, into canonical content.
    package init(parsing bytes: UnsafeRawBufferPointer) throws(ModelError) {
        let parts = try ItemParts(bytes)
        guard let id = parts.id else { throw .badIdentifier }
        let content = try ItemContent(
            kind: parts.kind, size: parts.size, fields: parts.fields, flags: parts.flags)
        self.init(id: id, content: content)
    }

    /// Writes the body of a message `Item`.
    package func write(to writer: inout ByteWriter) {
        writer.write(field: ItemContent.Number.id, utf8Of: id.text)
        writer.write(contentsOf: content.bytes)
    }
}
