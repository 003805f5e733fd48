/// A growing buffer of bytes with the primitives of the protobuf wire format.
///
/// It owns raw memory rather than an array so that a writer can be reset and used again without
/// giving its memory back: one writer serves a room for its whole life.
///
/// # Performance
/// Amortized O(n) for n bytes written; a varint below 128 is one comparison and one store.
@usableFromInline
package struct ByteWriter: ~Copyable {
    @usableFromInline var base: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    @usableFromInline var written = 0

    @inlinable
    package init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        base = .allocate(capacity: self.capacity)
    }

    @inlinable
    deinit {
        base.deallocate()
    }

    /// How many bytes have been written since the last reset.
    @inlinable
    package var count: Int { written }

    /// What has been written. Valid until the next write, reset or the end of the writer.
    @inlinable
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base, count: count)
    }

    /// A copy of what has been written.
    package func makeArray() -> [UInt8] {
        [UInt8](UnsafeBufferPointer(start: base, count: count))
    }

    /// Forgets what has been written, keeping the memory.
    @inlinable
    package mutating func reset() {
        written = 0
    }

    /// Forgets what was written behind the first `count` bytes.
    package mutating func cut(to count: Int) {
        written = min(written, max(0, count))
    }

    @inlinable @inline(__always)
    package mutating func reserve(_ extra: Int) {
        if count + extra > capacity { grow(extra) }
    }

    @inline(never) @usableFromInline
    mutating func grow(_ extra: Int) {
        let larger = max(capacity * 2, count + extra)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        moved.update(from: base, count: count)
        base.deallocate()
        base = moved
        capacity = larger
    }

    @inlinable @inline(__always)
    package mutating func write(byte: UInt8) {
        reserve(1)
        base[count] = byte
        written += 1
    }

    @inlinable @inline(__always)
    package mutating func write(varint value: UInt64) {
        reserve(10)
        written = ByteWriter.store(varint: value, at: base + written) - base
    }

    /// Stores a varint where there is room for it.
    ///
    /// - Returns: where it ends.
    @inlinable @inline(__always)
    static func store(
        varint value: UInt64, at start: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var at = start
        var rest = value
        while rest >= 0x80 {
            at.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
            at += 1
            rest >>= 7
        }
        at.pointee = UInt8(truncatingIfNeeded: rest)
        return at + 1
    }

    /// Writes a signed number so that small magnitudes are short (protobuf's `sint64`).
    @inlinable @inline(__always)
    package mutating func write(zigzag value: Int64) {
        write(varint: UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    /// Writes four bytes, least significant first (protobuf's `fixed32`).
    @inlinable
    package mutating func write(fixed32 value: UInt32) {
        write(littleEndian: value.littleEndian)
    }

    /// Writes eight bytes, least significant first (protobuf's `fixed64` and `double`).
    @inlinable
    package mutating func write(fixed64 value: UInt64) {
        write(littleEndian: value.littleEndian)
    }

    @inlinable @inline(__always)
    mutating func write<Number: FixedWidthInteger>(littleEndian value: Number) {
        reserve(MemoryLayout<Number>.size)
        UnsafeMutableRawPointer(base + count).storeBytes(of: value, as: Number.self)
        written += MemoryLayout<Number>.size
    }

    @inlinable @inline(__always)
    package mutating func write(contentsOf bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(bytes.count)
        UnsafeMutableRawPointer(base + count).copyMemory(from: source, byteCount: bytes.count)
        written += bytes.count
    }

    @inlinable
    package mutating func write(contentsOf bytes: [UInt8]) {
        bytes.withUnsafeBytes { write(contentsOf: $0) }
    }

    @inlinable
    package mutating func write(utf8Of text: String) {
        text.withBytes { write(contentsOf: $0) }
    }

    /// Reserves a byte for a length that is known only after the bytes behind it are written.
    ///
    /// - Returns: a mark for ``endLengthDelimited(_:)``.
    @inlinable @inline(__always)
    package mutating func beginLengthDelimited() -> Int {
        write(byte: 0)
        return count
    }

    /// Writes the length of all that was written since `mark`, moving it up where the length
    /// takes more than one byte. The result is the shortest form of the length.
    ///
    /// # Performance
    /// O(1) below 128 bytes, else O(n) for the n bytes that move.
    @inlinable @inline(__always)
    package mutating func endLengthDelimited(_ mark: Int) {
        let length = count - mark
        if length < 0x80 {
            base[mark - 1] = UInt8(truncatingIfNeeded: length)
        } else {
            widenLength(mark, length)
        }
    }

    @inline(never) @usableFromInline
    mutating func widenLength(_ mark: Int, _ length: Int) {
        let extra = ByteWriter.varintSize(UInt64(length)) - 1
        reserve(extra)
        UnsafeMutableRawPointer(base + mark + extra)
            .copyMemory(from: UnsafeRawPointer(base + mark), byteCount: length)
        var rest = length
        var at = mark - 1
        while rest >= 0x80 {
            base[at] = UInt8(truncatingIfNeeded: rest) | 0x80
            at += 1
            rest >>= 7
        }
        base[at] = UInt8(truncatingIfNeeded: rest)
        written += extra
    }

    /// How many bytes the varint of `value` takes: 1 to 10.
    @inlinable @inline(__always)
    package static func varintSize(_ value: UInt64) -> Int {
        (70 - (value | 1).leadingZeroBitCount) / 7
    }
}

extension ByteWriter {
    /// Writes the tag of a protobuf field.
    @inlinable @inline(__always)
    package mutating func write(tag field: Int, _ type: WireType) {
        write(varint: UInt64(field) << 3 | UInt64(type.rawValue))
    }

    @inlinable
    package mutating func write(field: Int, varint value: UInt64) {
        reserve(20)
        let tag = UInt64(field) << 3 | UInt64(WireType.varint.rawValue)
        let at = ByteWriter.store(varint: tag, at: base + written)
        written = ByteWriter.store(varint: value, at: at) - base
    }

    @inlinable
    package mutating func write(field: Int, double value: Double) {
        write(tag: field, .fixed64)
        write(fixed64: value.bitPattern)
    }

    @inlinable
    package mutating func write(field: Int, utf8Of text: String) {
        let place = place(forField: field, byteCount: text.utf8.count)
        text.withBytes { ByteWriter.copy($0, to: place) }
    }

    @inlinable @inline(__always)
    package mutating func write(field: Int, bytes: UnsafeRawBufferPointer) {
        ByteWriter.copy(bytes, to: place(forField: field, byteCount: bytes.count))
    }

    @inlinable @inline(__always)
    static func copy(_ bytes: UnsafeRawBufferPointer, to place: UnsafeMutableRawPointer) {
        guard let source = bytes.baseAddress else { return }
        place.copyMemory(from: source, byteCount: bytes.count)
    }

    /// Writes all of a field but its bytes, for which it makes a place.
    @inlinable @inline(__always)
    mutating func place(forField field: Int, byteCount: Int) -> UnsafeMutableRawPointer {
        reserve(20 + byteCount)
        let tag = UInt64(field) << 3 | UInt64(WireType.lengthDelimited.rawValue)
        var at = ByteWriter.store(varint: tag, at: base + written)
        at = ByteWriter.store(varint: UInt64(byteCount), at: at)
        written = at - base + byteCount
        return UnsafeMutableRawPointer(at)
    }

    /// Writes a message that `body` fills, even an empty one.
    @inlinable @inline(__always)
    package mutating func write<Failure: Error>(
        message field: Int, _ body: (inout ByteWriter) throws(Failure) -> Void
    ) throws(Failure) {
        write(tag: field, .lengthDelimited)
        let mark = beginLengthDelimited()
        try body(&self)
        endLengthDelimited(mark)
    }
}
