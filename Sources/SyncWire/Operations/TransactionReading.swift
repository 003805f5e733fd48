package import SyncBytes
package import SyncEngine

/// The protocol's message `Transaction`: what a ``Submit`` and an entry of the log hold.
extension Transaction {
    private enum Number {
        static let base = 1
        static let operations = 2
    }

    /// Reads a transaction's body, which may be anything.
    ///
    /// - Throws: what to answer its author.
    package init(
        parsing bytes: UnsafeRawBufferPointer, limits: WireLimits = WireLimits()
    ) throws(Rejection) {
        self.init(base: 0, operations: [])
        guard bytes.count <= limits.transactionBytes else {
            throw Rejection(
                FieldError.limit(
                    "the transaction has \(bytes.count) of \(limits.transactionBytes) bytes"))
        }
        var atFault: Int?
        do throws(FieldError) {
            var reader = FieldReader(bytes)
            while let field = try reader.next() {
                switch field {
                case Number.base: base = try reader.uint64()
                case Number.operations:
                    guard operations.count < limits.transactionOperations else {
                        throw .limit(
                            "the transaction has more than \(limits.transactionOperations) operations"
                        )
                    }
                    atFault = operations.count
                    operations.append(
                        try OperationCoding.read(try reader.body(), limits: limits))
                    atFault = nil
                default: try reader.skip()
                }
            }
        } catch {
            throw Rejection(error, operation: atFault)
        }
    }

    /// Writes a transaction's body.
    ///
    /// - Throws: ``ModelError`` for numbers and names that have no place in a room.
    package func write(to writer: inout ByteWriter) throws(ModelError) {
        writer.write(Number.base, nonzero: base)
        for operation in operations {
            try writer.write(message: Number.operations) { (writer) throws(ModelError) in
                try OperationCoding.write(operation, to: &writer)
            }
        }
    }
}

extension Rejection {
    init(_ error: FieldError, operation: Int? = nil) {
        let code: Code = if case .limit = error { .limitExceeded } else { .malformed }
        self.init(operation: operation, code: code, message: error.explanation)
    }
}
