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
        // These bytes were written or checked before, so reading them does not fail.
        bytes.withUnsafeBytes { try? ValueCoding.readValue($0) } ?? .null
    }
}

extension EncodedValue {
    /// Reads a value that may be anything; an invalid one is noted as a fault and read as `nil`.
    init?(parsing bytes: UnsafeRawBufferPointer, noting fault: inout ContentFault?) {
        do throws(ModelError) {
            try self.init(ValueCoding.readValue(bytes))
        } catch {
            fault = fault ?? ContentFault(error)
            return nil
        }
    }
}
