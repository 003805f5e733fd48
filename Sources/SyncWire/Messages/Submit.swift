import SyncBytes
package import SyncModel

/// A transaction for a room. ``Ack`` or ``Reject`` answers it, with its counter.
package struct Submit: Sendable, Equatable {
    package var room: RoomHandle
    /// The transaction's number among its author's, ascending. A resent transaction has the same
    /// number.
    package var counter: UInt64
    package var transaction: PackedTransaction
    /// The room and epoch that the base belongs to, if these are not the ones that this membership
    /// was sent.
    package var origin: Origin?

    package init(
        room: RoomHandle, counter: UInt64, transaction: PackedTransaction, origin: Origin? = nil
    ) {
        self.room = room
        self.counter = counter
        self.transaction = transaction
        self.origin = origin
    }

    /// Makes one of a transaction, which it packs.
    package init(
        room: RoomHandle, counter: UInt64, transaction: ListTransaction, origin: Origin? = nil
    ) throws(Rejection) {
        self.init(
            room: room, counter: counter, transaction: try PackedTransaction(transaction),
            origin: origin)
    }
}

extension Submit {
    fileprivate enum Number {
        static let room = 1
        static let counter = 2
        static let transaction = 3
        static let origin = 4
    }

    /// Copies a view.
    package init(_ view: SubmitView) {
        self.init(
            room: view.room, counter: view.counter,
            transaction: PackedTransaction(view.transaction), origin: view.origin)
    }

    /// Calls `body` with a view of it.
    package func withView(_ body: (SubmitView) -> Void) {
        transaction.withView {
            body(SubmitView(room: room, counter: counter, transaction: $0, origin: origin))
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.room, nonzero: room)
        writer.write(Number.counter, nonzero: counter)
        writer.write(message: Number.transaction) { writer in transaction.write(to: &writer) }
        origin?.write(Number.origin, to: &writer)
    }
}

/// A ``Submit`` in place in its frame: they are frequent, and most are processed before the next
/// one is read.
package struct SubmitView: BitwiseCopyable {
    package let room: RoomHandle
    package let counter: UInt64
    package let transaction: TransactionView
    package let origin: Origin?

    fileprivate init(
        room: RoomHandle, counter: UInt64, transaction: TransactionView, origin: Origin?
    ) {
        self.room = room
        self.counter = counter
        self.transaction = transaction
        self.origin = origin
    }

    /// The same submit for the room of a handle.
    package func readdressed(to room: RoomHandle) -> SubmitView {
        SubmitView(room: room, counter: counter, transaction: transaction, origin: origin)
    }

    /// Reads a body, which may be anything.
    ///
    /// - Parameters:
    ///   - spare: receives a transaction that has to be packed anew.
    ///   - work: counts the work of that.
    /// - Throws: ``WireError/refusedSubmit(room:counter:_:)`` if the transaction is invalid.
    init(
        parsing bytes: UnsafeRawBufferPointer, limits: WireLimits, spare: inout ByteWriter,
        work: inout DecodingWork
    ) throws(WireError) {
        var room: RoomHandle = 0
        var counter: UInt64 = 0
        var transaction = UnsafeRawBufferPointer(start: nil, count: 0)
        var origin: Origin?
        do throws(FieldError) {
            var reader = FieldReader(bytes)
            while let field = try reader.next() {
                switch field {
                case Submit.Number.room: room = try reader.uint32()
                case Submit.Number.counter: counter = try reader.uint64()
                case Submit.Number.transaction: transaction = try reader.body()
                case Submit.Number.origin: origin = try Origin(parsing: try reader.body())
                default: try reader.skip()
                }
            }
        } catch {
            throw WireError(error)
        }
        self.room = room
        self.counter = counter
        self.origin = origin
        guard counter <= WireProtocol.greatestNumber else {
            throw .refusedSubmit(
                room: room, counter: counter,
                Rejection(code: .malformed, message: FieldReader.tooGreat))
        }
        if let view = CanonicalContent.transaction(transaction, limits) {
            self.transaction = view
            return
        }
        do throws(Rejection) {
            spare.reset()
            var packing = TransactionPacking(limits)
            defer { work.addPacked(packing.checkedBytes, nonCanonical: packing.nonCanonicalBytes) }
            try packing.pack(transaction, into: &spare)
            self.transaction = TransactionView(
                base: packing.base,
                TransactionTraits(
                    operationCount: packing.operationCount,
                    isAllOrNothing: packing.isAllOrNothing), trusted: spare.bytes)
        } catch {
            throw .refusedSubmit(room: room, counter: counter, error)
        }
    }
}
