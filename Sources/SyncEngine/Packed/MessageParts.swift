import SyncBytes

/// One field of a message: its number, all its bytes and the bytes of its value.
struct MessagePart {
    var number: Int
    var whole: UnsafeRawBufferPointer
    var body: UnsafeRawBufferPointer
}

/// Walks over a canonical message that has only length-delimited fields, in the order of their
/// numbers, as contents do.
struct MessageParts: Sequence, IteratorProtocol {
    private var reader: ByteReader

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) { reader = ByteReader(bytes) }

    /// Canonical bytes always parse; what does not would end the walk.
    @inline(__always)
    mutating func next() -> MessagePart? {
        let rest = reader.rest
        guard let (number, _) = try? reader.readTag(),
            let body = try? reader.readLengthDelimited()
        else { return nil }
        let whole = UnsafeRawBufferPointer(
            start: rest.baseAddress, count: rest.count - reader.count)
        return MessagePart(number: number, whole: whole, body: body)
    }
}

extension ByteReader {
    /// The next byte: a tag, where the field's number is below 16.
    @inline(__always)
    var nextTag: UInt8? { rest.first }

    /// Takes the body of a length-delimited field with a number below 16, if it comes next.
    @inline(__always)
    mutating func take(_ field: Int) -> UnsafeRawBufferPointer? {
        guard nextTag == UInt8(field << 3) | WireType.lengthDelimited.rawValue else { return nil }
        _ = try? readByte()
        return try? readLengthDelimited()
    }
}
