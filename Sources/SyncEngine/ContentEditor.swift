import Glibc
import SyncBytes
import SyncModel

/// Reads and changes content in place, as canonical bytes.
///
/// # Performance
/// O(n) for n bytes of content and patch. Parts that do not change are not decoded.
enum ContentEditor {
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
        for part in MessageParts(content) where part.number == number {
            return (try? FlagBits.readDisabled(part.body)) ?? 0
        }
        return 0
    }

    /// The size in an item's content; `nil` if it has none.
    @inline(__always)
    static func size(in content: UnsafeRawBufferPointer) -> ListSize? {
        var reader = ByteReader(content)
        _ = reader.take(ItemContent.Number.kind)
        return reader.take(ItemContent.Number.size).flatMap { try? ValueCoding.readSize($0) }
    }

    /// The value of a field; `nil` if there is no such field.
    static func value(
        of name: UnsafeRawBufferPointer, in content: UnsafeRawBufferPointer, fields number: Int
    ) -> Value? {
        field(name, in: content, number).flatMap { try? ValueCoding.readField($0) }?.value
    }

    /// The bytes of a field, with its name; `nil` if there is no such field.
    static func field(
        _ name: UnsafeRawBufferPointer, in content: UnsafeRawBufferPointer, _ number: Int
    ) -> UnsafeRawBufferPointer? {
        for part in MessageParts(content)
        where part.number == number && order(self.name(part.body), name) == 0 {
            return part.body
        }
        return nil
    }

    /// Whether two fields, or none, are the same.
    static func areSame(
        _ field: UnsafeRawBufferPointer?, _ other: UnsafeRawBufferPointer?
    ) -> Bool {
        guard let field, let other else { return field == nil && other == nil }
        return field.hasSameBytes(as: other)
    }

    /// Compares two names: negative, zero or positive.
    @inline(__always)
    private static func order(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Int {
        guard let some = left.baseAddress, let other = right.baseAddress else { return -1 }
        let difference = memcmp(some, other, min(left.count, right.count))
        return difference != 0 ? Int(difference) : left.count - right.count
    }

    /// The name in the body of a message `Field`, or of any message whose first field is a name.
    @inline(__always)
    private static func name(_ body: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var reader = ByteReader(body)
        return reader.take(1) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    // MARK: Changing

    /// Writes an item's content with a patch applied.
    ///
    /// - Parameter disabled: the bits of its flags that are false.
    /// - Returns: the bits of the flags that are false afterwards.
    @inline(__always)
    static func apply(
        _ patch: ItemPatchView, to content: UnsafeRawBufferPointer, disabled: UInt8,
        _ writer: inout ByteWriter
    ) -> UInt8 {
        typealias Number = ItemContent.Number
        var walk = Walk(content)
        walk.change(Number.kind, patch.kind, &writer)
        walk.change(Number.size, patch.size, &writer)
        walk.merge(Number.fields, patch.set, without: patch.unset, &writer)
        walk.finish(&writer)
        let flags = patch.flags.applied(to: ItemFlags(rawValue: ~disabled & ItemFlags.all.rawValue))
        let disabledAfter = ItemFlags.all.rawValue & ~flags.rawValue
        if disabledAfter != 0 { writer.write(disabled: disabledAfter, as: Number.flags) }
        return disabledAfter
    }

    /// Writes a section's content with a patch applied.
    static func apply(
        _ patch: SectionPatchView, to content: UnsafeRawBufferPointer, _ writer: inout ByteWriter
    ) {
        typealias Number = SectionContent.Number
        var walk = Walk(content)
        walk.merge(Number.fields, patch.set, without: patch.unset, &writer)
        walk.merge(
            Number.supplementaries, patch.supplementaries, without: patch.removedSupplementaries,
            &writer)
        walk.finish(&writer)
        let disabled = disabledSectionFlags(content)
        let flags = patch.flags.applied(
            to: SectionFlags(rawValue: ~disabled & SectionFlags.all.rawValue))
        writer.write(disabled: SectionFlags.all.rawValue & ~flags.rawValue, as: Number.flags)
    }

    /// A walk over a content, part by part, while a new one is written. Parts that stay are copied
    /// together, up to the next change.
    private struct Walk {
        /// Stands at the next part.
        private var reader: ByteReader
        /// The bytes behind the last change. Those that the reader has passed are still to be
        /// copied.
        private var uncopied: UnsafeRawBufferPointer

        @inline(__always)
        init(_ content: UnsafeRawBufferPointer) {
            reader = ByteReader(content)
            uncopied = content
        }

        /// Passes the part with this number, if there is one, and writes what becomes of it.
        @inline(__always)
        mutating func change(
            _ number: Int, _ change: ItemPatchView.Part, _ writer: inout ByteWriter
        ) {
            if case .becomes(let bytes) = change { write(number, bytes, &writer) }
            guard let known = next(number) else { return }
            if case .stays = change { reader = known.end } else { drop(known, &writer) }
        }

        /// Passes the named parts with this number, and merges sorted new ones into them.
        ///
        /// - Parameter removed: names to leave out; one that is also new stays.
        @inline(__always)
        mutating func merge(
            _ number: Int, _ given: MessageParts, without removed: MessageParts,
            _ writer: inout ByteWriter
        ) {
            for new in given {
                let name = ContentEditor.name(new.body)
                while let known = next(number) {
                    let order = ContentEditor.order(ContentEditor.name(known.body), name)
                    if order > 0 { break }
                    if order == 0 {
                        drop(known, &writer)
                        break
                    }
                    pass(known, without: removed, &writer)
                }
                write(number, new.body, &writer)
            }
            while let known = next(number) { pass(known, without: removed, &writer) }
        }

        /// Copies the passed parts that stay.
        @inline(__always)
        mutating func finish(_ writer: inout ByteWriter) {
            let count = uncopied.count - reader.count
            if count > 0 {
                writer.write(
                    contentsOf: UnsafeRawBufferPointer(start: uncopied.baseAddress, count: count))
            }
            uncopied = reader.rest
        }

        private typealias Part = (body: UnsafeRawBufferPointer, end: ByteReader)

        /// The next part, if it has this number.
        @inline(__always)
        private func next(_ number: Int) -> Part? {
            var end = reader
            guard let body = end.take(number) else { return nil }
            return (body, end)
        }

        @inline(__always)
        private mutating func pass(
            _ part: Part, without removed: MessageParts, _ writer: inout ByteWriter
        ) {
            let isRemoved = removed.contains {
                $0.body.hasSameBytes(as: ContentEditor.name(part.body))
            }
            if isRemoved { drop(part, &writer) } else { reader = part.end }
        }

        @inline(__always)
        private mutating func drop(_ part: Part, _ writer: inout ByteWriter) {
            finish(&writer)
            reader = part.end
            uncopied = reader.rest
        }

        @inline(__always)
        private mutating func write(
            _ number: Int, _ body: UnsafeRawBufferPointer, _ writer: inout ByteWriter
        ) {
            finish(&writer)
            writer.write(field: number, bytes: body)
        }
    }
}
