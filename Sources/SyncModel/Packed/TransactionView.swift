package import SyncBytes

/// A view of a transaction's canonical bytes (``PackedTransaction``); valid as long as they are
/// lent.
@usableFromInline
package struct TransactionView: BitwiseCopyable {
    /// The last revision the author had seen when it made the operations.
    @usableFromInline package let base: Revision
    @usableFromInline package let traits: TransactionTraits
    /// The operations: the message without its base, up to the last operation.
    @usableFromInline package let bytes: UnsafeRawBufferPointer

    /// Takes the bytes of operations that are known to be canonical.
    @inlinable
    package init(
        base: Revision, _ traits: TransactionTraits, trusted bytes: UnsafeRawBufferPointer
    ) {
        self.base = base
        self.traits = traits
        self.bytes = bytes
    }

    /// The same transaction, as one that has seen nothing.
    package var asSeenNothing: TransactionView {
        TransactionView(base: base, traits.asSeenNothing, trusted: bytes)
    }

    /// Writes the body of the message `Transaction`.
    package func write(to writer: inout ByteWriter) {
        if base != 0 { writer.write(field: PackedTransaction.Number.base, varint: base) }
        writer.write(contentsOf: bytes)
        if traits.isAllOrNothing { writer.write(field: PackedTransaction.Number.all, varint: 1) }
    }
}
