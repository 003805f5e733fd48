import SyncBytes
package import SyncEngine

/// A transaction for a room. ``Ack`` or ``Reject`` answers it, with its counter.
package struct Submit: Sendable, Equatable {
    package var room: RoomHandle
    /// The transaction's number among its author's, growing. Sent again, it is the same transaction.
    package var counter: UInt64
    package var transaction: PackedTransaction

    package init(room: RoomHandle, counter: UInt64, transaction: PackedTransaction) {
        self.room = room
        self.counter = counter
        self.transaction = transaction
    }

    /// Makes one with a transaction that is yet to be packed.
    package init(
        room: RoomHandle, counter: UInt64, transaction: Transaction
    ) throws(Rejection) {
        self.init(
            room: room, counter: counter, transaction: try PackedTransaction(transaction))
    }
}

extension Submit {
    private enum Number {
        static let room = 1
        static let counter = 2
        static let transaction = 3
    }

    /// - Throws: ``WireError/refusedSubmit(room:counter:_:)`` where the transaction is at fault.
    init(parsing bytes: UnsafeRawBufferPointer, limits: WireLimits) throws(WireError) {
        var room: RoomHandle = 0
        var counter: UInt64 = 0
        var transaction = UnsafeRawBufferPointer(start: nil, count: 0)
        do throws(FieldError) {
            var reader = FieldReader(bytes)
            while let field = try reader.next() {
                switch field {
                case Number.room: room = try reader.uint32()
                case Number.counter: counter = try reader.uint64()
                case Number.transaction: transaction = try reader.body()
                default: try reader.skip()
                }
            }
        } catch {
            throw WireError(error)
        }
        do throws(Rejection) {
            self.init(
                room: room, counter: counter,
                transaction: try PackedTransaction(parsing: transaction, limits: limits))
        } catch {
            throw .refusedSubmit(room: room, counter: counter, error)
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.room, nonzero: room)
        writer.write(Number.counter, nonzero: counter)
        writer.write(message: Number.transaction) { writer in transaction.write(to: &writer) }
    }
}
