package import SyncModel

/// What is needed to continue a room.
package struct StoredRoom: Sendable, Equatable {
    /// Where to start; `nil` is the empty room, before record 1.
    package var snapshot: StoredSnapshot?
    /// All records after the snapshot.
    package var records: [LogRecord]

    package init(snapshot: StoredSnapshot?, records: [LogRecord]) {
        self.snapshot = snapshot
        self.records = records
    }
}

/// What a store knows of a room without opening it.
package struct StoredRoomSummary: Sendable, Equatable {
    package var name: RoomName
    package var revision: UInt64
    /// How many records are kept.
    package var recordCount: UInt64
    /// How many bytes the bodies of the kept records have.
    package var logBytes: UInt64
    /// How many bytes the bodies of the kept snapshots have as they are stored (compressed).
    package var snapshotBytes: UInt64
    /// The time of the room's first record, in milliseconds since 1970.
    package var createdMilliseconds: UInt64
    /// The time of the room's last record, in milliseconds since 1970.
    package var changedMilliseconds: UInt64

    package init(
        name: RoomName, revision: UInt64, recordCount: UInt64, logBytes: UInt64,
        snapshotBytes: UInt64, createdMilliseconds: UInt64, changedMilliseconds: UInt64
    ) {
        self.name = name
        self.revision = revision
        self.recordCount = recordCount
        self.logBytes = logBytes
        self.snapshotBytes = snapshotBytes
        self.createdMilliseconds = createdMilliseconds
        self.changedMilliseconds = changedMilliseconds
    }
}
