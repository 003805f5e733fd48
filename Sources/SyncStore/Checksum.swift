import CZlib

/// A CRC-32 over stored bytes and the place where they belong. It detects changed bytes, and rows
/// in a wrong place.
struct Checksum {
    private(set) var value: UInt32 = 0

    /// - Parameter purpose: the kind of row, so that rows of different kinds have different
    ///   checksums.
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

    /// Extends the CRC-32 `value` by the bytes that follow.
    static func extend(_ value: UInt32, with bytes: UnsafeRawBufferPointer) -> UInt32 {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return value }
        return UInt32(truncatingIfNeeded: crc32_z(UInt(value), base, bytes.count))
    }
}
