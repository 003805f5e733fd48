/// How a protobuf field's value is laid out, as its tag says.
@usableFromInline
package enum WireType: UInt8, Sendable {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case fixed32 = 5
}

/// Why bytes could not be read.
@usableFromInline
package enum ByteError: Error, Equatable, Sendable {
    /// The bytes end within a value.
    case truncated
    /// A varint has more than ten bytes or does not fit 64 bits.
    case oversizedVarint
    /// A tag has field number 0 or a wire type that is not in use.
    case badTag
    /// Text is not UTF-8.
    case notUTF8
}

/// A cursor over bytes with the primitives of the protobuf wire format. It never reads past the
/// end: every step checks, and what does not fit is a ``ByteError``.
///
/// The memory belongs to the caller and must outlive the reader.
@usableFromInline
package struct ByteReader {
    @usableFromInline var at: UnsafeRawPointer
    @usableFromInline let end: UnsafeRawPointer

    @inlinable
    package init(_ bytes: UnsafeRawBufferPointer) {
        if let base = bytes.baseAddress {
            at = base
            end = base + bytes.count
        } else {
            // Any address serves for a reader of nothing: it is compared, never read.
            at = UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
            end = at
        }
    }

    @inlinable package var isAtEnd: Bool {
        get { at == end }
    }

    /// How many bytes are left.
    @inlinable package var count: Int {
        get { end - at }
    }

    /// What is left, without moving.
    @inlinable
    package var rest: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: at, count: count)
    }

    @inlinable @inline(__always)
    package mutating func readByte() throws(ByteError) -> UInt8 {
        guard at < end else { throw .truncated }
        let byte = at.load(as: UInt8.self)
        at += 1
        return byte
    }

    /// The next byte, without moving.
    @inlinable package var nextByte: UInt8? {
        @inline(__always) get { at < end ? at.load(as: UInt8.self) : nil }
    }

    /// Skips the next byte if it equals `byte`, and returns whether it does.
    @inlinable @inline(__always)
    package mutating func pass(_ byte: UInt8) -> Bool {
        guard nextByte == byte else { return false }
        at += 1
        return true
    }

    @inlinable @inline(__always)
    package mutating func readVarint() throws(ByteError) -> UInt64 {
        guard at < end else { throw .truncated }
        let first = at.load(as: UInt8.self)
        if first < 0x80 {
            at += 1
            return UInt64(first)
        }
        let long = try readLongVarint()
        at = long.end
        return long.value
    }

    /// Returns the varint's end instead of moving there: a mutating call would force the reader
    /// into memory, and it is quickest in registers.
    @inlinable @inline(never)
    func readLongVarint() throws(ByteError) -> (value: UInt64, end: UnsafeRawPointer) {
        var reader = self
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try reader.readByte()
            if shift == 63, byte > 1 { throw .oversizedVarint }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return (value, reader.at) }
            shift += 7
            if shift > 63 { throw .oversizedVarint }
        }
    }

    @inlinable
    package mutating func readZigzag() throws(ByteError) -> Int64 {
        let value = try readVarint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    @inlinable
    package mutating func readFixed32() throws(ByteError) -> UInt32 {
        guard count >= 4 else { throw .truncated }
        defer { at += 4 }
        return UInt32(littleEndian: at.loadUnaligned(as: UInt32.self))
    }

    @inlinable
    package mutating func readFixed64() throws(ByteError) -> UInt64 {
        guard count >= 8 else { throw .truncated }
        defer { at += 8 }
        return UInt64(littleEndian: at.loadUnaligned(as: UInt64.self))
    }

    @inlinable
    package mutating func readDouble() throws(ByteError) -> Double {
        Double(bitPattern: try readFixed64())
    }

    /// Takes the next `length` bytes.
    @inlinable @inline(__always)
    package mutating func readBytes(_ length: Int) throws(ByteError) -> UnsafeRawBufferPointer {
        guard length >= 0, length <= count else { throw .truncated }
        defer { at += length }
        return UnsafeRawBufferPointer(start: at, count: length)
    }

    /// Takes a length and that many bytes.
    @inlinable @inline(__always)
    package mutating func readLengthDelimited() throws(ByteError) -> UnsafeRawBufferPointer {
        let length = try readVarint()
        guard length <= UInt64(UInt(bitPattern: count)) else { throw .truncated }
        defer { at += Int(truncatingIfNeeded: length) }
        return UnsafeRawBufferPointer(start: at, count: Int(truncatingIfNeeded: length))
    }

    /// Takes the body of a length-delimited field with a number below 16, if it comes next.
    @inlinable @inline(__always)
    package mutating func take(_ field: Int) -> UnsafeRawBufferPointer? {
        let tag = UInt8(truncatingIfNeeded: field << 3) | WireType.lengthDelimited.rawValue
        guard pass(tag) else { return nil }
        return try? readLengthDelimited()
    }

    /// Takes a length and that many bytes of UTF-8.
    package mutating func readText() throws(ByteError) -> String {
        let bytes = try readLengthDelimited()
        guard let text = String(utf8: bytes) else { throw .notUTF8 }
        return text
    }

    /// The next field's number and type, or `nil` at the end.
    @inlinable @inline(__always)
    package mutating func readTag() throws(ByteError) -> (field: Int, type: WireType)? {
        if at == end { return nil }
        let tag = try readVarint()
        guard tag >= 8, tag <= UInt64(UInt32.max),
            let type = WireType(rawValue: UInt8(truncatingIfNeeded: tag & 7))
        else { throw .badTag }
        return (Int(tag >> 3), type)
    }

    /// Skips a field's value.
    @inlinable
    package mutating func skip(_ type: WireType) throws(ByteError) {
        switch type {
        case .varint: _ = try readVarint()
        case .fixed64: _ = try readFixed64()
        case .lengthDelimited: _ = try readLengthDelimited()
        case .fixed32: _ = try readFixed32()
        }
    }
}
