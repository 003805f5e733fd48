package import SyncBytes

/// A transaction as it is on the wire and in the log: the bytes of the protocol's message
/// `Transaction` in canonical form.
///
/// A server checks the bytes from a client once, and passes them on as a ``TransactionView``. The
/// engine applies the operations in place, and the log copies the bytes. So nothing is decoded into
/// objects and encoded again.
///
/// Canonical bytes are those that ``ListOperation/write(to:)`` gives: the fields of each message in
/// the order of their numbers, contents as in ``ItemContent``, and default values left out.
@usableFromInline
package struct PackedTransaction: Sendable, Equatable {
    /// Field numbers of the message `Transaction`.
    @usableFromInline
    package enum Number {
        @inlinable package static var base: Int { 1 }
        @inlinable package static var operations: Int { 2 }
        @inlinable package static var all: Int { 3 }
    }

    /// The last revision the author had seen when it made the operations.
    @usableFromInline package var base: Revision
    // A smaller number leaves room for the flags, as in a view.
    @usableFromInline let count: UInt32
    /// Whether a guard that has changed has the whole transaction refused.
    @usableFromInline package let isAllOrNothing: Bool
    /// See ``ListTransaction/hasSeenNothing``. It is not among the bytes.
    @usableFromInline package var hasSeenNothing: Bool
    /// The operations: the message without its base, up to the last operation.
    @usableFromInline package let bytes: [UInt8]

    /// How many operations there are.
    @inlinable package var operationCount: Int { Int(count) }

    /// Packs a transaction.
    ///
    /// - Throws: ``Rejection`` for numbers and names that have no place in a room.
    package init(_ transaction: ListTransaction) throws(Rejection) {
        var writer = ByteWriter(capacity: 128)
        for (index, operation) in transaction.operations.enumerated() {
            do throws(ModelError) {
                try writer.write(message: Number.operations) { (writer) throws(ModelError) in
                    try operation.write(to: &writer)
                }
            } catch {
                throw Rejection(operation: index, code: .malformed, message: error.explanation)
            }
        }
        base = transaction.base
        isAllOrNothing = transaction.isAllOrNothing
        count = UInt32(clamping: transaction.operations.count)
        bytes = writer.makeArray()
        hasSeenNothing = transaction.hasSeenNothing
    }

    /// Copies a transaction that is lent.
    package init(_ view: TransactionView) {
        base = view.base
        isAllOrNothing = view.isAllOrNothing
        count = view.count
        bytes = [UInt8](view.bytes)
        hasSeenNothing = view.hasSeenNothing
    }

    /// Lends a view of the transaction.
    @inlinable @inline(__always)
    package func withView<Result, Failure: Error>(
        _ body: (TransactionView) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withUnsafeBufferPointer { (bytes) throws(Failure) in
            try body(
                TransactionView(
                    base: base, operationCount: operationCount, isAllOrNothing: isAllOrNothing,
                    trusted: UnsafeRawBufferPointer(bytes), hasSeenNothing: hasSeenNothing))
        }
    }

    /// Writes the body of the message `Transaction`.
    package func write(to writer: inout ByteWriter) {
        withView { $0.write(to: &writer) }
    }
}
