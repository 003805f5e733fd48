import SyncBytes
package import SyncModel

/// The protocol's message `Transaction`, as a ``Submit`` and an entry of the log have it.
extension PackedTransaction {
    /// Reads a transaction's body, which may be anything.
    ///
    /// - Throws: what to answer its author.
    ///
    /// # Performance
    /// O(n) for n bytes: one pass and one copy, if the bytes are canonical.
    package init(
        parsing bytes: UnsafeRawBufferPointer, limits: WireLimits = WireLimits()
    ) throws(Rejection) {
        if let view = CanonicalContent.transaction(bytes, limits) {
            self.init(view)
        } else {
            try self.init(try ListTransaction(parsing: bytes, limits: limits))
        }
    }
}

extension ListTransaction {
    /// Parses a transaction's body, which may be anything.
    ///
    /// - Throws: what to answer its author.
    package init(
        parsing bytes: UnsafeRawBufferPointer, limits: WireLimits = WireLimits()
    ) throws(Rejection) {
        self.init(base: 0, operations: [])
        guard bytes.count <= limits.transactionBytes else {
            throw Rejection(limits.transactionFault(bytes: bytes.count))
        }
        var atFault: Int?
        do throws(FieldError) {
            var reader = FieldReader(bytes)
            while let field = try reader.next() {
                switch field {
                case PackedTransaction.Number.base: base = try reader.number()
                case PackedTransaction.Number.operations:
                    guard operations.count < limits.transactionOperations else {
                        throw limits.operationsFault
                    }
                    atFault = operations.count
                    operations.append(
                        try ListOperation(fields: try reader.body(), limits: limits))
                    atFault = nil
                case PackedTransaction.Number.all: isAllOrNothing = try reader.bool()
                default: try reader.skip()
                }
            }
        } catch {
            throw Rejection(error, operation: atFault)
        }
    }
}

extension Rejection {
    init(_ error: FieldError, operation: Int? = nil) {
        let code: Code = if case .limit = error { .limitExceeded } else { .malformed }
        self.init(operation: operation, code: code, message: error.explanation)
    }
}
