package import SyncBytes

/// What a section holds besides items: fields, supplementaries and flags.
///
/// It is kept like ``ItemContent``, as the bytes of the protocol's message `Section` behind the id.
///
/// # Performance
/// Reading a property scans the bytes: O(n) for n bytes.
public struct SectionContent: Sendable, Hashable {
    @usableFromInline package let bytes: [UInt8]

    /// Field numbers of the message `Section`.
    @usableFromInline
    package enum Number {
        @inlinable package static var id: Int { 1 }
        @inlinable package static var fields: Int { 2 }
        @inlinable package static var supplementaries: Int { 3 }
        @inlinable package static var flags: Int { 4 }
    }

    /// Makes empty content: no fields, no supplementaries, everything allowed.
    public init() {
        bytes = []
    }

    /// Makes content from its parts: fields in any order, each name once, and supplementaries in
    /// any order, each kind once.
    ///
    /// - Throws: as ``ListSection/init(_:_:supplementaries:flags:)``.
    public init(
        fields: [Field] = [], supplementaries: [Supplementary] = [], flags: SectionFlags = .all
    ) throws(ModelError) {
        var writer = ByteWriter(capacity: 64)
        try ValueCoding.write(fields, as: Number.fields, to: &writer)
        try Supplementary.write(supplementaries, as: Number.supplementaries, to: &writer)
        writer.write(disabled: SectionFlags.all.rawValue & ~flags.rawValue, as: Number.flags)
        bytes = writer.makeArray()
    }

    /// Takes bytes that were canonical content before.
    @inlinable
    package init(trusted bytes: UnsafeRawBufferPointer) {
        self.bytes = [UInt8](bytes)
    }

    /// The fields, sorted by name.
    public var fields: [Field] { parts.fields }
    /// The supplementaries, sorted by kind.
    public var supplementaries: [Supplementary] { parts.supplementaries }
    /// What may be done with the section.
    public var flags: SectionFlags { parts.flags }

    /// Everything at once, from bytes known to be good.
    package var parts: SectionParts {
        // Canonical bytes always parse; if they did not, the content would read as empty.
        (try? bytes.withUnsafeBytes { bytes throws(ModelError) in try SectionParts(bytes) })
            ?? SectionParts()
    }
}

/// A section's content taken apart.
package struct SectionParts: Sendable, Equatable {
    package var id: Identifier?
    package var fields: [Field] = []
    package var supplementaries: [Supplementary] = []
    package var flags = SectionFlags.all

    package init() {}

    /// Reads a message `Section`, which may come from anywhere.
    ///
    /// - Throws: ``ModelError`` for what has no place in a room.
    package init(_ bytes: UnsafeRawBufferPointer) throws(ModelError) {
        var reader = ByteReader(bytes)
        do {
            while let (field, type) = try reader.readTag() {
                switch (field, type) {
                case (SectionContent.Number.id, .lengthDelimited):
                    id = try Identifier(bytes: try reader.readLengthDelimited())
                case (SectionContent.Number.fields, .lengthDelimited):
                    fields.append(try ValueCoding.readField(try reader.readLengthDelimited()))
                case (SectionContent.Number.supplementaries, .lengthDelimited):
                    supplementaries.append(
                        try Supplementary(parsing: try reader.readLengthDelimited()))
                case (SectionContent.Number.flags, .lengthDelimited):
                    let disabled = try FlagBits.readDisabled(try reader.readLengthDelimited())
                    flags = SectionFlags(rawValue: SectionFlags.all.rawValue & ~disabled)
                default: try reader.skip(type)
                }
            }
        } catch {
            throw ModelError(error)
        }
    }
}

extension ListSection {
    /// Reads a message `Section`, which may come from anywhere, into canonical content.
    package init(parsing bytes: UnsafeRawBufferPointer) throws(ModelError) {
        let parts = try SectionParts(bytes)
        guard let id = parts.id else { throw .badIdentifier }
        let content = try SectionContent(
            fields: parts.fields, supplementaries: parts.supplementaries, flags: parts.flags)
        self.init(id: id, content: content)
    }

    /// Writes the body of a message `Section`.
    package func write(to writer: inout ByteWriter) {
        writer.write(field: SectionContent.Number.id, utf8Of: id.text)
        writer.write(contentsOf: content.bytes)
    }
}

extension Supplementary {
    /// Reads a message `Supplementary`, which may come from anywhere.
    package init(parsing bytes: UnsafeRawBufferPointer) throws(ModelError) {
        var reader = ByteReader(bytes)
        var kind: Identifier?
        var size: ListSize?
        var fields: [Field] = []
        do {
            while let (field, type) = try reader.readTag() {
                switch (field, type) {
                case (1, .lengthDelimited):
                    kind = try Identifier(bytes: try reader.readLengthDelimited())
                case (2, .lengthDelimited):
                    size = try ValueCoding.readSize(try reader.readLengthDelimited())
                case (3, .lengthDelimited):
                    fields.append(try ValueCoding.readField(try reader.readLengthDelimited()))
                default: try reader.skip(type)
                }
            }
        } catch {
            throw ModelError(error)
        }
        guard let kind else { throw .badIdentifier }
        self.init(kind: kind, size: size, fields: try ValueCoding.sorted(fields))
    }

    /// Writes supplementaries sorted by kind, each as field number `field` of the message around
    /// them.
    ///
    /// - Throws: ``ModelError/duplicateName(_:)`` if a kind occurs twice.
    static func write(
        _ supplementaries: [Supplementary], as field: Int, to writer: inout ByteWriter
    ) throws(ModelError) {
        var previous: Identifier?
        for supplementary in supplementaries.sorted(by: { $0.kind < $1.kind }) {
            if supplementary.kind == previous { throw .duplicateName(supplementary.kind.text) }
            previous = supplementary.kind
            try writer.write(message: field) { (writer) throws(ModelError) in
                try supplementary.write(to: &writer)
            }
        }
    }

    /// Writes the body of a message `Supplementary`.
    package func write(to writer: inout ByteWriter) throws(ModelError) {
        writer.write(field: 1, utf8Of: kind.text)
        if let size {
            writer.write(tag: 2, .lengthDelimited)
            let mark = writer.beginLengthDelimited()
            try ValueCoding.write(size, to: &writer)
            writer.endLengthDelimited(mark)
        }
        try ValueCoding.write(fields, as: 3, to: &writer)
    }
}
