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
    @usableFromInline package var traits: TransactionTraits
    /// The operations: the message without its base, up to the last operation.
    @usableFromInline package let bytes: [UInt8]

    /// Packs a transaction.
    ///
    /// - Throws: ``Rejection`` for numbers and names that have no place in a room.
    package init(_ transaction: ListTransaction) throws(Rejection) {
        var writer = ByteWriter(capacity: 128)
        // In place: a copy of each operation would retain all that it has.
        try transaction.operations.withUnsafeBufferPointer { (operations) throws(Rejection) in
            for index in operations.indices {
                do throws(ModelError) {
                    try writer.write(message: Number.operations) { (writer) throws(ModelError) in
                        try operations[index].write(to: &writer)
                    }
                } catch {
                    throw Rejection(operation: index, code: .malformed, message: error.explanation)
                }
            }
        }
        base = transaction.base
        traits = TransactionTraits(
            operationCount: transaction.operations.count,
            isAllOrNothing: transaction.isAllOrNothing,
            hasSeenNothing: transaction.hasSeenNothing)
        bytes = writer.makeArray()
    }

    /// Copies a transaction that is lent.
    package init(_ view: TransactionView) {
        base = view.base
        traits = view.traits
        bytes = [UInt8](view.bytes)
    }

    /// Lends a view of the transaction.
    @inlinable @inline(__always)
    package func withView<Result, Failure: Error>(
        _ body: (TransactionView) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withUnsafeBufferPointer { (bytes) throws(Failure) in
            try body(
                TransactionView(
                    base: base, traits, trusted: UnsafeRawBufferPointer(bytes)))
        }
    }

    /// Writes the body of the message `Transaction`.
    package func write(to writer: inout ByteWriter) {
        withView { $0.write(to: &writer) }
    }
}
