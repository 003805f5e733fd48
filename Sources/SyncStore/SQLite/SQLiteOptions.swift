/// How durable an append is when it completes.
package enum SyncMode: String, Sendable, CaseIterable {
    /// Written and synced: it survives the loss of power.
    case full
    /// Written: it survives the end of the process. A loss of power may undo the last appends, but
    /// leaves a consistent store.
    case relaxed
}

/// Options of a store on SQLite.
package struct SQLiteOptions: Sendable {
    package var syncMode: SyncMode
    /// The maximum size of the database file, in pages of 4096 bytes; beyond it the disk counts as
    /// full. With `nil` only the disk limits it.
    package var maximumPages: UInt32?

    package init(syncMode: SyncMode = .full, maximumPages: UInt32? = nil) {
        self.syncMode = syncMode
        self.maximumPages = maximumPages
    }
}
