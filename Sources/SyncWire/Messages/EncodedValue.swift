import SyncBytes
package import SyncModel

/// A value as it is written, in the canonical form of `ValueCoding`: two are equal exactly when
/// their bytes are.
package struct EncodedValue: Sendable, Hashable {
    /// The body of the message `Value`.
    package let bytes: [UInt8]

    /// - Throws: ``ModelError`` if the value can't be written.
    package init(_ value: Value) throws(ModelError) {
        var writer = ByteWriter(capacity: 64)
        try ValueCoding.write(value, to: &writer)
        bytes = writer.makeArray()
    }

    /// The value.
    package var value: Value {
        // What was written always reads; if it did not, it would read as nothing.
        bytes.withUnsafeBytes { try? ValueCoding.readValue($0) } ?? .null
    }
}

extension EncodedValue {
    /// Reads a value that may be anything; `nil` if it is none, which is noted.
    init?(parsing bytes: UnsafeRawBufferPointer, noting fault: inout ContentFault?) {
        do throws(ModelError) {
            try self.init(ValueCoding.readValue(bytes))
        } catch {
            fault = fault ?? ContentFault(error)
            return nil
        }
    }
}
