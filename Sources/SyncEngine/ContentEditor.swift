import Glibc
import SyncBytes

/// Changes and reads content where it lies: as canonical bytes.
///
/// # Performance
/// O(n) for n bytes of content and patch; nothing is decoded that does not change.
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
    static func size(in content: UnsafeRawBufferPointer) -> Size? {
        var reader = ByteReader(content)
        _ = reader.take(ItemContent.Number.kind)
        return reader.take(ItemContent.Number.size).flatMap { try? ValueCoding.readSize($0) }
    }

    /// What a field holds; `nil` if there is no such field.
    static func value(
        of name: UnsafeRawBufferPointer, in content: UnsafeRawBufferPointer, fields number: Int
    ) -> Value? {
        for part in MessageParts(content)
        where part.number == number && order(self.name(part.body), name) == 0 {
            return (try? ValueCoding.readField(part.body))?.value
        }
        return nil
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
        _ = try? reader.readByte()
        return (try? reader.readLengthDelimited()) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    // MARK: Changing

    /// Writes what an item's content becomes.
    ///
    /// - Parameter disabled: the bits of its flags that are false.
    /// - Returns: the bits of the flags that are false then.
    static func apply(
        _ patch: ItemPatchView, to content: UnsafeRawBufferPointer, disabled: UInt8,
        _ writer: inout ByteWriter
    ) -> UInt8 {
        typealias Number = ItemContent.Number
        var walk = Walk(content)
        walk.change(Number.kind, patch.kind, &writer)
        walk.change(Number.size, patch.size, &writer)
        walk.merge(Number.fields, patch.set, without: patch.unset, &writer)
        let flags = patch.flags.applied(to: ItemFlags(rawValue: ~disabled & ItemFlags.all.rawValue))
        ItemContent.write(flags, to: &writer)
        return ItemFlags.all.rawValue & ~flags.rawValue
    }

    /// Writes what a section's content becomes.
    static func apply(
        _ patch: SectionPatchView, to content: UnsafeRawBufferPointer, _ writer: inout ByteWriter
    ) {
        typealias Number = SectionContent.Number
        var walk = Walk(content)
        walk.merge(Number.fields, patch.set, without: patch.unset, &writer)
        walk.merge(
            Number.supplementaries, patch.supplementaries, without: patch.removedSupplementaries,
            &writer)
        let disabled = disabledSectionFlags(content)
        let flags = patch.flags.applied(
            to: SectionFlags(rawValue: ~disabled & SectionFlags.all.rawValue))
        writer.write(disabled: SectionFlags.all.rawValue & ~flags.rawValue, as: Number.flags)
    }

    /// A walk over a content, part by part, while a new one is written.
    private struct Walk {
        private var parts: MessageParts
        private var part: MessagePart?

        @inline(__always)
        init(_ content: UnsafeRawBufferPointer) {
            parts = MessageParts(content)
            part = parts.next()
        }

        /// Passes over the part that there may be one of.
        @inline(__always)
        mutating func change(
            _ number: Int, _ change: ItemPatchView.Part, _ writer: inout ByteWriter
        ) {
            if case .becomes(let bytes) = change { writer.write(field: number, bytes: bytes) }
            guard let known = part, known.number == number else { return }
            if case .stays = change { writer.write(contentsOf: known.whole) }
            part = parts.next()
        }

        /// Passes over named parts, merging sorted new ones into them.
        ///
        /// - Parameter removed: names to leave out; one that is also new stays.
        @inline(__always)
        mutating func merge(
            _ number: Int, _ given: MessageParts, without removed: MessageParts,
            _ writer: inout ByteWriter
        ) {
            var given = given
            var new = given.next()
            while let known = part, known.number == number {
                let name = ContentEditor.name(known.body)
                var isReplaced = false
                while !isReplaced, let next = new {
                    let order = ContentEditor.order(ContentEditor.name(next.body), name)
                    if order > 0 { break }
                    writer.write(field: number, bytes: next.body)
                    isReplaced = order == 0
                    new = given.next()
                }
                if !isReplaced, !removed.contains(where: { $0.body.hasSameBytes(as: name) }) {
                    writer.write(contentsOf: known.whole)
                }
                part = parts.next()
            }
            while let next = new {
                writer.write(field: number, bytes: next.body)
                new = given.next()
            }
        }
    }
}
