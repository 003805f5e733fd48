package import SyncBytes

/// A transaction as the bytes it has on the wire and in the log: the protocol's message `Transaction`
/// in canonical form.
///
/// It is what goes from a client to the engine. A server checks the bytes that came, once, and hands
/// them on: the engine applies operations where they lie, and the log copies them, so that nothing is
/// taken apart into objects and put together again.
///
/// Canonical means that the bytes are those that ``Operation/write(to:)`` gives: the fields of each
/// message in the order of their numbers, contents as in ``ItemContent``, what has its default value
/// left out.
package struct PackedTransaction: Sendable, Equatable {
    /// Field numbers of the message `Transaction`.
    package enum Number {
        package static let base = 1
        package static let operations = 2
    }

    /// The last revision the author had seen when it made the operations.
    package var base: Revision
    /// How many operations there are.
    package let operationCount: Int
    /// The operations: the message without its base.
    package let bytes: [UInt8]

    /// Packs a transaction.
    ///
    /// - Throws: ``Rejection`` for numbers and names that have no place in a room.
    package init(_ transaction: Transaction) throws(Rejection) {
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
        operationCount = transaction.operations.count
        bytes = writer.makeArray()
    }

    /// Takes the bytes of operations that are known to be canonical.
    package init(base: Revision, operationCount: Int, trusted bytes: UnsafeRawBufferPointer) {
        self.base = base
        self.operationCount = operationCount
        self.bytes = [UInt8](bytes)
    }

    /// Writes the body of the message `Transaction`.
    package func write(to writer: inout ByteWriter) {
        if base != 0 { writer.write(field: Number.base, varint: base) }
        writer.write(contentsOf: bytes)
    }

    /// Calls `body` with each operation in turn, until it returns `false`.
    @inline(__always)
    package func forEachOperation(_ body: (OperationView) -> Bool) {
        bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            while let message = reader.take(Number.operations),
                let operation = OperationView(message), body(operation)
            {}
        }
    }
}
