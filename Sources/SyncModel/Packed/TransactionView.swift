package import SyncBytes

/// A view of a transaction's canonical bytes (``PackedTransaction``); valid as long as they are
/// lent.
@usableFromInline
package struct TransactionView: BitwiseCopyable {
    /// The last revision the author had seen when it made the operations.
    @usableFromInline package let base: Revision
    /// How many operations there are.
    @usableFromInline package let operationCount: Int
    /// The operations: the message without its base.
    @usableFromInline package let bytes: UnsafeRawBufferPointer
    /// See ``ListTransaction/hasSeenNothing``.
    @usableFromInline package let hasSeenNothing: Bool

    /// Takes the bytes of operations that are known to be canonical.
    @inlinable
    package init(
        base: Revision, operationCount: Int, trusted bytes: UnsafeRawBufferPointer,
        hasSeenNothing: Bool = false
    ) {
        self.base = base
        self.operationCount = operationCount
        self.bytes = bytes
        self.hasSeenNothing = hasSeenNothing
    }

    /// The same transaction, as one that has seen nothing.
    package var asSeenNothing: TransactionView {
        TransactionView(
            base: base, operationCount: operationCount, trusted: bytes, hasSeenNothing: true)
    }

    /// Writes the body of the message `Transaction`.
    package func write(to writer: inout ByteWriter) {
        if base != 0 { writer.write(field: PackedTransaction.Number.base, varint: base) }
        writer.write(contentsOf: bytes)
    }
}
