import SyncModel
import SyncWire

extension PackedTransaction {
    /// Packs what a client asks for, without its base. That takes as long as to read it, so many
    /// operations are packed on a worker.
    ///
    /// - Parameter limits: what the session would refuse is refused here, before a loop has to pass
    ///   it on.
    /// - Returns: the operations as they are sent, or why they can't be.
    static func packing(
        _ operations: [ListOperation], isAllOrNothing: Bool = false,
        within limits: WireLimits? = nil
    ) -> Result<PackedTransaction, Rejection> {
        Result { () throws(Rejection) in
            let packed = try PackedTransaction(
                ListTransaction(
                    base: 0, operations: operations, isAllOrNothing: isAllOrNothing))
            if let limits, packed.bytes.count > min(limits.contentBytes, limits.transactionBytes) {
                try packed.check(limits)
            }
            return packed
        }
    }
}
