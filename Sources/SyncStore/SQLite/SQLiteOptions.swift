/// How durable an append is when it completes.
package enum SyncMode: String, Sendable, CaseIterable {
    /// Written and synced: it survives the loss of power.
    case full
    /// Written: it survives the end of the process, but the last ones before a loss of power may be
    /// missing. What is there is whole.
    case relaxed
}

/// What can be chosen about a store on SQLite.
package struct SQLiteOptions: Sendable {
    package var syncMode: SyncMode
    /// The most the database file may grow to, in pages of 4096 bytes; then the disk counts as
    /// full. `nil` leaves it to the disk.
    package var maximumPages: UInt32?

    package init(syncMode: SyncMode = .full, maximumPages: UInt32? = nil) {
        self.syncMode = syncMode
        self.maximumPages = maximumPages
    }
}
