package import SyncBytes

/// A transaction where its canonical bytes lie, see ``PackedTransaction``; valid as long as they are lent.
package struct TransactionView: BitwiseCopyable {
    /// The last revision the author had seen when it made the operations.
    package let base: Revision
    /// How many operations there are.
    package let operationCount: Int
    /// The operations: the message without its base.
    package let bytes: UnsafeRawBufferPointer

    /// Takes the bytes of operations that are known to be canonical.
    package init(base: Revision, operationCount: Int, trusted bytes: UnsafeRawBufferPointer) {
        self.base = base
        self.operationCount = operationCount
        self.bytes = bytes
    }

    /// Writes the body of the message `Transaction`.
    package func write(to writer: inout ByteWriter) {
        if base != 0 { writer.write(field: PackedTransaction.Number.base, varint: base) }
        writer.write(contentsOf: bytes)
    }

    /// Calls `body` with each operation in turn, until it returns `false`.
    @inline(__always)
    package func forEachOperation(_ body: (OperationView) -> Bool) {
        var reader = ByteReader(bytes)
        while let message = reader.take(PackedTransaction.Number.operations),
            let operation = OperationView(message), body(operation)
        {}
    }
}
