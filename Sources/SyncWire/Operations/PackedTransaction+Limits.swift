import SyncBytes
package import SyncModel

extension PackedTransaction {
    /// Checks it as whoever receives it does. That takes as long as to copy it.
    ///
    /// - Throws: the answer to its author.
    package func check(_ limits: WireLimits) throws(Rejection) {
        var packing = TransactionPacking(limits)
        var spare = ByteWriter(capacity: bytes.count)
        try bytes.withUnsafeBufferPointer { (bytes) throws(Rejection) in
            try packing.pack(UnsafeRawBufferPointer(bytes), into: &spare)
        }
    }
}
