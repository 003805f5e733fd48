import SyncEngine
import SyncRoom

extension Room {
    /// Takes a transaction that is at hand as a whole.
    func receive(
        _ transaction: PackedTransaction, counter: UInt64, from id: MemberID
    ) -> Receipt {
        transaction.withView { receive($0, counter: counter, from: id) }
    }
}
