package import SyncBytes

/// A view of a transaction's canonical bytes (``PackedTransaction``); valid as long as they are
/// lent.
@usableFromInline
package struct TransactionView: BitwiseCopyable {
    /// The last revision the author had seen when it made the operations.
    @usableFromInline package let base: Revision
    // A smaller number leaves room for the flags, so that a view is four words.
    @usableFromInline let count: UInt32
    /// Whether a guard that has changed has the whole transaction refused.
    @usableFromInline package let isAllOrNothing: Bool
    /// See ``ListTransaction/hasSeenNothing``.
    @usableFromInline package let hasSeenNothing: Bool
    /// The operations: the message without its base, up to the last operation.
    @usableFromInline package let bytes: UnsafeRawBufferPointer

    /// How many operations there are.
    @inlinable package var operationCount: Int { Int(count) }

    /// Takes the bytes of operations that are known to be canonical.
    @inlinable
    package init(
        base: Revision, operationCount: Int, isAllOrNothing: Bool = false,
        trusted bytes: UnsafeRawBufferPointer, hasSeenNothing: Bool = false
    ) {
        self.base = base
        count = UInt32(clamping: operationCount)
        self.isAllOrNothing = isAllOrNothing
        self.bytes = bytes
        self.hasSeenNothing = hasSeenNothing
    }

    /// The same transaction, as one that has seen nothing.
    package var asSeenNothing: TransactionView {
        TransactionView(
            base: base, operationCount: operationCount, isAllOrNothing: isAllOrNothing,
            trusted: bytes, hasSeenNothing: true)
    }

    /// Writes the body of the message `Transaction`.
    package func write(to writer: inout ByteWriter) {
        if base != 0 { writer.write(field: PackedTransaction.Number.base, varint: base) }
        writer.write(contentsOf: bytes)
        if isAllOrNothing { writer.write(field: PackedTransaction.Number.all, varint: 1) }
    }
}
