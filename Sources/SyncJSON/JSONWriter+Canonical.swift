import SyncBytes
import SyncModel

// The content of items, from its canonical bytes, which are known to be good. A batch is mostly
// that, and to make values of it first takes longer.

extension JSONWriter {
    /// Writes what an item's content has: kind, fields, size and flags.
    mutating func writeMembers(of content: ItemContent) {
        content.bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            if let kind = reader.take(ItemContent.Number.kind) {
                key("kind")
                write(utf8: kind)
            }
            let size = reader.take(ItemContent.Number.size)
            if reader.nextByte == JSONWriter.fieldsTag {
                key("fields")
                writeObject(of: ItemContent.Number.fields, &reader)
            }
            write(size: size.flatMap { try? ValueCoding.readSize($0) })
            let flags = reader.take(ItemContent.Number.flags)
            let disabled = flags.flatMap { try? FlagBits.readDisabled($0) } ?? 0
            write(flags: ItemFlags(rawValue: ItemFlags.all.rawValue & ~disabled))
        }
    }

    private static let fieldsTag =
        UInt8(ItemContent.Number.fields << 3) | WireType.lengthDelimited.rawValue

    /// Writes an object of the fields that come next.
    private mutating func writeObject(of number: Int, _ reader: inout ByteReader) {
        beginObject()
        while let field = reader.take(number) {
            var parts = ByteReader(field)
            guard let name = parts.take(1), let value = parts.take(2) else { continue }
            key(utf8: name)
            write(value: value)
        }
        endObject()
    }

    private mutating func write(value bytes: UnsafeRawBufferPointer) {
        var reader = ByteReader(bytes)
        if let text = reader.take(ValueCoding.Kind.text) {
            write(utf8: text)
        } else if let list = reader.take(ValueCoding.Kind.list) {
            var elements = ByteReader(list)
            beginList()
            while let element = elements.take(1) { write(value: element) }
            endList()
        } else if let object = reader.take(ValueCoding.Kind.object) {
            var fields = ByteReader(object)
            writeObject(of: 1, &fields)
        } else {
            writeScalar(of: &reader)
        }
    }

    private mutating func writeScalar(of reader: inout ByteReader) {
        switch try? reader.readTag()?.field {
        case ValueCoding.Kind.bool: write(bool: (try? reader.readVarint()) == 1)
        case ValueCoding.Kind.integer: write(integer: (try? reader.readZigzag()) ?? 0)
        case ValueCoding.Kind.double:
            let number = (try? reader.readDouble()) ?? 0
            write(number: number.isFinite ? number : 0)
        default: writeNull()
        }
    }
}
