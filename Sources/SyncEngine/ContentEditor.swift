import Glibc
import SyncBytes

/// Changes and reads content where it lies: as canonical bytes.
///
/// # Performance
/// O(n) for n bytes of content and patch; nothing is decoded that does not change.
enum ContentEditor {
    /// One field of a message: its number, all its bytes and the bytes of its value.
    private struct Part {
        var number: Int
        var whole: UnsafeRawBufferPointer
        var body: UnsafeRawBufferPointer
    }

    /// Walks over a message that has only length-delimited fields, in the order of their numbers, as
    /// contents do.
    private struct Parts: Sequence, IteratorProtocol {
        var reader: ByteReader

        init(_ bytes: UnsafeRawBufferPointer) { reader = ByteReader(bytes) }

        /// Canonical bytes always parse; what does not would end the walk.
        @inline(__always)
        mutating func next() -> Part? {
            let rest = reader.rest
            guard let (number, _) = try? reader.readTag(),
                let body = try? reader.readLengthDelimited()
            else { return nil }
            let whole = UnsafeRawBufferPointer(rebasing: rest.prefix(rest.count - reader.count))
            return Part(number: number, whole: whole, body: body)
        }
    }

    // MARK: Reading

    /// The bits of an item's flags that are false.
    static func disabledItemFlags(_ content: UnsafeRawBufferPointer) -> UInt8 {
        disabledFlags(content, ItemContent.Number.flags)
    }

    /// The bits of a section's flags that are false.
    static func disabledSectionFlags(_ content: UnsafeRawBufferPointer) -> UInt8 {
        disabledFlags(content, SectionContent.Number.flags)
    }

    private static func disabledFlags(_ content: UnsafeRawBufferPointer, _ number: Int) -> UInt8 {
        for part in Parts(content) where part.number == number {
            return (try? FlagBits.readDisabled(part.body)) ?? 0
        }
        return 0
    }

    /// What a field holds; `nil` if there is no such field.
    static func value(
        of name: Identifier, in content: UnsafeRawBufferPointer, fields number: Int
    ) -> Value? {
        for part in Parts(content) where part.number == number && order(part.body, name) == 0 {
            return (try? ValueCoding.readField(part.body))?.value
        }
        return nil
    }

    /// Compares the name in the body of a message `Field` (or of any message whose first field is a
    /// name) with another: negative, zero or positive.
    @inline(__always)
    private static func order(_ body: UnsafeRawBufferPointer, _ name: Identifier) -> Int {
        let known = self.name(body)
        return name.withBytes { other in
            guard let left = known.baseAddress, let right = other.baseAddress else { return -1 }
            let difference = memcmp(left, right, min(known.count, other.count))
            return difference != 0 ? Int(difference) : known.count - other.count
        }
    }

    private static func name(_ body: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var reader = ByteReader(body)
        _ = try? reader.readTag()
        return (try? reader.readLengthDelimited()) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    // MARK: Changing

    /// Writes what an item's content becomes.
    ///
    /// - Parameter disabled: the bits of its flags that are false.
    /// - Returns: the bits of the flags that are false then.
    static func apply(
        _ patch: ItemPatch, to content: UnsafeRawBufferPointer, disabled: UInt8,
        _ writer: inout ByteWriter
    ) throws(ModelError) -> UInt8 {
        typealias Number = ItemContent.Number
        switch patch.kind {
        case .set(let kind): writer.write(field: Number.kind, utf8Of: kind.text)
        case .clear: break
        case nil: copy(Number.kind, of: content, to: &writer)
        }
        switch patch.size {
        case .set(let size): try ItemContent.write(size, to: &writer)
        case .clear: break
        case nil: copy(Number.size, of: content, to: &writer)
        }
        try merge(patch.set, patch.unset, into: content, as: Number.fields, to: &writer)
        let flags = patch.flags.applied(to: ItemFlags(rawValue: ~disabled & ItemFlags.all.rawValue))
        ItemContent.write(flags, to: &writer)
        return ItemFlags.all.rawValue & ~flags.rawValue
    }

    /// Writes what a section's content becomes.
    static func apply(
        _ patch: SectionPatch, to content: UnsafeRawBufferPointer, _ writer: inout ByteWriter
    ) throws(ModelError) {
        typealias Number = SectionContent.Number
        try merge(patch.set, patch.unset, into: content, as: Number.fields, to: &writer)
        let given = patch.supplementaries.sorted { $0.kind < $1.kind }
        try merge(
            given.count, { given[$0].kind }, patch.removedSupplementaries, into: content,
            as: Number.supplementaries, to: &writer
        ) { index, writer throws(ModelError) in try given[index].write(to: &writer) }
        let disabled = disabledSectionFlags(content)
        let flags = patch.flags.applied(
            to: SectionFlags(rawValue: ~disabled & SectionFlags.all.rawValue))
        writer.write(disabled: SectionFlags.all.rawValue & ~flags.rawValue, as: Number.flags)
    }

    private static func copy(
        _ number: Int, of content: UnsafeRawBufferPointer, to writer: inout ByteWriter
    ) {
        for part in Parts(content) {
            if part.number > number { return }
            if part.number == number { writer.write(contentsOf: part.whole) }
        }
    }

    private static func merge(
        _ set: [Field], _ unset: [Identifier], into content: UnsafeRawBufferPointer,
        as number: Int, to writer: inout ByteWriter
    ) throws(ModelError) {
        let set = try ValueCoding.sorted(set)
        try merge(
            set.count, { set[$0].name }, unset, into: content, as: number, to: &writer
        ) { index, writer throws(ModelError) in try ValueCoding.write(set[index], to: &writer) }
    }

    /// Merges named parts into the sorted ones that are there.
    ///
    /// - Parameters:
    ///   - count: how many new parts there are.
    ///   - name: their names by index, ascending.
    ///   - removed: names to leave out; one that is also new stays.
    ///   - write: writes the body of a new part.
    @inline(__always)
    private static func merge(
        _ count: Int, _ name: (Int) -> Identifier, _ removed: [Identifier],
        into content: UnsafeRawBufferPointer, as number: Int, to writer: inout ByteWriter,
        write: (Int, inout ByteWriter) throws(ModelError) -> Void
    ) throws(ModelError) {
        var next = 0
        func writeNext(_ writer: inout ByteWriter) throws(ModelError) {
            if next > 0, name(next - 1) == name(next) { throw .duplicateName(name(next).text) }
            writer.write(tag: number, .lengthDelimited)
            let mark = writer.beginLengthDelimited()
            try write(next, &writer)
            writer.endLengthDelimited(mark)
            next += 1
        }
        for part in Parts(content) where part.number == number {
            var isReplaced = false
            while next < count {
                let order = order(part.body, name(next))
                if order < 0 { break }
                isReplaced = isReplaced || order == 0
                try writeNext(&writer)
            }
            if isReplaced || removed.contains(where: { order(part.body, $0) == 0 }) { continue }
            writer.write(contentsOf: part.whole)
        }
        while next < count { try writeNext(&writer) }
    }
}
