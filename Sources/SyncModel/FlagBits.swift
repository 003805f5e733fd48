package import SyncBytes

/// Flags on the wire: a message with one optional boolean a flag.
package enum FlagBits {
    /// The bits of the flags that the message says are false.
    package static func readDisabled(_ bytes: UnsafeRawBufferPointer) throws(ModelError) -> UInt8 {
        let (changed, enabled) = try readChanges(bytes)
        return changed & ~enabled
    }

    /// The bits of the flags that the message names, and of those the ones it says are true.
    package static func readChanges(
        _ bytes: UnsafeRawBufferPointer
    ) throws(ModelError) -> (changed: UInt8, enabled: UInt8) {
        var reader = ByteReader(bytes)
        var changed: UInt8 = 0
        var enabled: UInt8 = 0
        do throws(ByteError) {
            while let (field, type) = try reader.readTag() {
                guard type == .varint, (1...8).contains(field) else {
                    try reader.skip(type)
                    continue
                }
                let bit = UInt8(1) << UInt8(field - 1)
                changed |= bit
                if try reader.readVarint() != 0 { enabled |= bit } else { enabled &= ~bit }
            }
        } catch {
            throw .malformed
        }
        return (changed, enabled)
    }
}

extension ByteWriter {
    /// Writes, as message field `field`, that the flags in `disabled` are false; nothing if none
    /// is.
    package mutating func write(disabled: UInt8, as field: Int) {
        write(flags: disabled, enabled: 0, as: field)
    }

    /// Writes the values of the flags in `changed`; nothing if there are none.
    package mutating func write(flags changed: UInt8, enabled: UInt8, as field: Int) {
        guard changed != 0 else { return }
        write(tag: field, .lengthDelimited)
        let mark = beginLengthDelimited()
        for bit in 0..<8 where changed & (1 << bit) != 0 {
            write(field: bit + 1, varint: enabled & (1 << bit) != 0 ? 1 : 0)
        }
        endLengthDelimited(mark)
    }
}
