import SyncBytes

/// One field of a message: its number and the bytes of its value.
struct MessagePart {
    var number: Int
    var body: UnsafeRawBufferPointer
}

/// Walks over a canonical message that has only length-delimited fields with numbers below 16, in
/// the order of their numbers, as contents do.
struct MessageParts: Sequence, IteratorProtocol {
    private var reader: ByteReader

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) { reader = ByteReader(bytes) }

    /// Whether no part is left.
    @inline(__always)
    var isEmpty: Bool { reader.isAtEnd }

    /// Canonical bytes always parse; what does not would end the walk.
    @inline(__always)
    mutating func next() -> MessagePart? {
        guard let tag = reader.nextByte, let body = reader.take(Int(tag >> 3)) else { return nil }
        return MessagePart(number: Int(tag >> 3), body: body)
    }
}
