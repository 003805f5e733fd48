import CZlib

/// A CRC-32 over what is stored and where it belongs, so that neither a changed byte nor a row that
/// turns up in the wrong place passes for right.
struct Checksum {
    private(set) var value: UInt32 = 0

    /// - Parameter purpose: what it is a checksum of, so that one kind of row is no other.
    init(of purpose: StaticString, room: String) {
        purpose.withUTF8Buffer { add(UnsafeRawBufferPointer($0)) }
        var room = room
        room.withUTF8 { name in
            add(UInt64(name.count))
            add(UnsafeRawBufferPointer(name))
        }
    }

    mutating func add(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { add($0) }
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        value = Self.extend(value, with: bytes)
    }

    /// The CRC-32 of something of which `value` was the one so far and that goes on with `bytes`.
    static func extend(_ value: UInt32, with bytes: UnsafeRawBufferPointer) -> UInt32 {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return value }
        return UInt32(truncatingIfNeeded: crc32_z(UInt(value), base, bytes.count))
    }
}
