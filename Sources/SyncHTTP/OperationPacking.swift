import SyncModel

extension PackedTransaction {
    /// Packs what a client asks for, without its base. That takes as long as to read it, so many
    /// operations are packed on a worker.
    ///
    /// - Returns: them as they are sent, or why they can't be.
    static func packing(
        _ operations: [ListOperation], atMost mostBytes: Int = .max
    ) -> Result<PackedTransaction, Rejection> {
        Result { () throws(Rejection) in
            let packed = try PackedTransaction(ListTransaction(base: 0, operations: operations))
            guard packed.bytes.count <= mostBytes else { throw .tooLarge }
            return packed
        }
    }
}

extension Rejection {
    static let tooLarge = Rejection(
        code: .limitExceeded,
        message: "the transaction is larger than the server takes; make several")
}
