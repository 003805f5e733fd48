import CZlib
import SyncModel

/// A CRC-32 over stored bytes and the place where they belong. It detects changed bytes, and rows
/// in a wrong place.
struct Checksum {
    private(set) var value: UInt32 = 0

    /// - Parameters:
    ///   - purpose: the kind of row, so that rows of different kinds have different checksums.
    ///   - room: `nil` if the row is of no room.
    init(of purpose: StaticString, room: RoomName?) {
        purpose.withUTF8Buffer { add(UnsafeRawBufferPointer($0)) }
        guard let room else {
            add(0)
            return
        }
        room.withBytes { name in
            add(UInt64(name.count))
            add(name)
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
