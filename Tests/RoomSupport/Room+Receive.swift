package import SyncModel
package import SyncRoom

extension Room {
    /// Takes a transaction that is at hand as a whole.
    package func receive(
        _ transaction: PackedTransaction, counter: UInt64, from id: ConnectionID
    ) -> Receipt {
        transaction.withView { receive($0, counter: counter, from: id) }
    }

    /// The room with all applied that came.
    package var settled: Room {
        applyQueued()
        return self
    }

    /// Applies all that came, and ends the tick.
    package func endTurn(wallClockMilliseconds: UInt64) -> LogRecord? {
        settled.endTick(wallClockMilliseconds: wallClockMilliseconds)
    }
}
