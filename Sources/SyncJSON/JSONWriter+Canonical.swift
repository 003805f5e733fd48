import SyncBytes
import SyncModel

// The content of items, from its canonical bytes. A batch is mostly that, and to make values of it
// first would take twice as long.

extension JSONWriter {
    /// Writes what an item's content has: kind, fields, size and flags.
    mutating func writeMembers(of content: ItemContent) {
        content.bytes.withUnsafeBytes { writeMembers(ofItem: ByteReader($0)) }
    }

    private mutating func writeMembers(ofItem bytes: ByteReader) {
        var reader = bytes
        var size: ListSize?
        var flags = ItemFlags.all
        var hasFields = false
        while let (number, body) = JSONWriter.next(of: &reader) {
            switch number {
            case ItemContent.Number.kind:
                key("kind")
                write(utf8: body)
            case ItemContent.Number.size: size = try? ValueCoding.readSize(body)
            case ItemContent.Number.fields:
                if !hasFields {
                    key("fields")
                    beginObject()
                    hasFields = true
                }
                write(field: body)
            case ItemContent.Number.flags:
                let disabled = (try? FlagBits.readDisabled(body)) ?? 0
                flags = ItemFlags(rawValue: ItemFlags.all.rawValue & ~disabled)
            default: break
            }
        }
        if hasFields { endObject() }
        write(size: size)
        write(flags: flags)
    }

    /// The next member of a message that is made of texts and messages.
    private static func next(
        of reader: inout ByteReader
    ) -> (number: Int, body: UnsafeRawBufferPointer)? {
        guard let (number, type) = try? reader.readTag(), type == .lengthDelimited,
            let body = try? reader.readLengthDelimited()
        else { return nil }
        return (number, body)
    }

    private mutating func write(field bytes: UnsafeRawBufferPointer) {
        var reader = ByteReader(bytes)
        guard let name = JSONWriter.next(of: &reader), let value = JSONWriter.next(of: &reader)
        else { return }
        key(utf8: name.body)
        write(value: value.body)
    }

    private mutating func write(value bytes: UnsafeRawBufferPointer) {
        var reader = ByteReader(bytes)
        guard let (kind, type) = try? reader.readTag() else { return writeNull() }
        if type == .lengthDelimited {
            return write(kind, of: (try? reader.readLengthDelimited()) ?? reader.rest)
        }
        switch kind {
        case ValueCoding.Kind.bool: write(bool: (try? reader.readVarint()) == 1)
        case ValueCoding.Kind.integer: write(integer: (try? reader.readZigzag()) ?? 0)
        case ValueCoding.Kind.double:
            let number = (try? reader.readDouble()) ?? 0
            write(number: number.isFinite ? number : 0)
        default: writeNull()
        }
    }

    /// Writes a text, a list or an object.
    private mutating func write(_ kind: Int, of body: UnsafeRawBufferPointer) {
        var reader = ByteReader(body)
        switch kind {
        case ValueCoding.Kind.text: write(utf8: body)
        case ValueCoding.Kind.list:
            beginList()
            while let (_, value) = JSONWriter.next(of: &reader) { write(value: value) }
            endList()
        case ValueCoding.Kind.object:
            beginObject()
            while let (_, field) = JSONWriter.next(of: &reader) { write(field: field) }
            endObject()
        default: writeNull()
        }
    }
}
