package import SyncModel
package import SyncRoom

extension Room {
    /// Receives a complete transaction.
    package func receive(
        _ transaction: PackedTransaction, counter: UInt64, from id: ConnectionID
    ) -> Receipt {
        transaction.withView { receive($0, counter: counter, from: id) }
    }

    /// The room after all queued transactions are applied.
    package var settled: Room {
        applyQueued()
        return self
    }

    /// Applies all queued transactions, and ends the tick.
    package func endTurn(wallClockMilliseconds: UInt64) -> LogRecord? {
        settled.takeRecord(wallClockMilliseconds: wallClockMilliseconds)
    }
}
