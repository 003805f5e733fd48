import SyncBytes
import SyncModel

/// Fields as proto3 writes them: default values are left out.
extension ByteWriter {
    @inline(__always)
    mutating func write(_ field: Int, nonzero value: UInt64) {
        if value != 0 { write(field: field, varint: value) }
    }

    @inline(__always)
    mutating func write(_ field: Int, nonzero value: UInt32) {
        if value != 0 { write(field: field, varint: UInt64(value)) }
    }

    @inline(__always)
    mutating func write(_ field: Int, nonzero value: Double) {
        if value != 0 { write(field: field, double: value) }
    }

    /// Writes a count or an index, the protocol's `uint32`.
    @inline(__always)
    mutating func write(_ field: Int, index: Int) {
        write(field, nonzero: UInt32(clamping: index))
    }

    mutating func write(_ field: Int, true value: Bool) {
        if value { write(field: field, varint: 1) }
    }

    mutating func write(_ field: Int, nonempty text: String) {
        if !text.isEmpty { write(field: field, utf8Of: text) }
    }

    mutating func write(_ field: Int, nonempty bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        bytes.withUnsafeBytes { write(field: field, bytes: $0) }
    }

    @inline(__always)
    mutating func write(_ field: Int, _ name: Identifier) {
        write(field: field, utf8Of: name.text)
    }

    mutating func write(_ field: Int, _ item: Item) {
        write(message: field) { writer in item.write(to: &writer) }
    }

    mutating func write(_ field: Int, _ section: ListSection) {
        write(message: field) { writer in section.write(to: &writer) }
    }
}
