import SyncBytes
package import SyncModel

/// A storage's entry about a room: the extent of its log, and figures for people.
///
/// Invariants:
/// 1. The records `firstSequence...lastSequence` are kept; there are none if the first is one more
///    than the last.
/// 2. If the log does not begin with record 1, there is a snapshot after record `firstSequence - 1`
///    or a later one.
/// 3. Its numbers are in the bounds (``isPossible``), so no sum or difference of them overflows. A
///    storage checks this for every entry that it reads.
package struct LogState: Equatable, Sendable {
    /// Within these bounds a storage can represent every number, also the position after the last.
    static let maximumSequence: UInt64 = 1 << 39 - 2
    static let maximumNumber = UInt64(Int64.max)
    static let maximumBodyBytes = 512 << 20
    /// More than any disk has.
    static let maximumBytes: UInt64 = 1 << 60

    package var name: RoomName
    package var createdMilliseconds: UInt64
    package var changedMilliseconds: UInt64
    package var firstSequence: UInt64 = 1
    package var lastSequence: UInt64 = 0
    package var lastRevision: UInt64 = 0
    package var logBytes: UInt64 = 0
    package var snapshotBytes: UInt64 = 0

    package init(name: RoomName, createdMilliseconds: UInt64) {
        self.name = name
        self.createdMilliseconds = createdMilliseconds
        changedMilliseconds = createdMilliseconds
    }

    /// Whether the numbers can be those of a room.
    var isPossible: Bool {
        lastSequence <= Self.maximumSequence && (1...lastSequence + 1).contains(firstSequence)
            && lastRevision < Self.maximumNumber && logBytes <= Self.maximumBytes
            && snapshotBytes <= Self.maximumBytes
    }

    /// Appends a record, if it is the next one.
    mutating func append(_ record: LogRecord) throws(StoreError) {
        guard record.sequence == lastSequence + 1, record.firstRevision == lastRevision + 1 else {
            throw .conflict(
                "room '\(name)' goes on with record \(lastSequence + 1) and revision"
                    + " \(lastRevision + 1), not with record \(record.sequence) and revision"
                    + " \(record.firstRevision)")
        }
        guard record.lastRevision >= lastRevision else {
            throw .conflict(
                "a record cannot end with revision \(record.lastRevision) that begins with"
                    + " \(record.firstRevision)")
        }
        guard record.sequence <= Self.maximumSequence, record.lastRevision < Self.maximumNumber,
            record.wallClockMilliseconds <= Self.maximumNumber,
            record.body.count <= Self.maximumBodyBytes
        else { throw .conflict("record \(record.sequence) of room '\(name)' is too large") }
        lastSequence = record.sequence
        lastRevision = record.lastRevision
        changedMilliseconds = record.wallClockMilliseconds
        logBytes += UInt64(record.body.count)
    }

    /// Checks that a snapshot belongs to this log.
    func check(_ snapshot: StoredSnapshot) throws(StoreError) {
        guard snapshot.sequence >= 1, snapshot.sequence + 1 >= firstSequence,
            snapshot.sequence <= lastSequence, snapshot.revision <= lastRevision,
            snapshot.trustedMilliseconds <= Self.maximumNumber
        else {
            throw .conflict(
                "a snapshot after record \(snapshot.sequence), revision \(snapshot.revision),"
                    + " is not of room '\(name)', whose log has records \(firstSequence) to"
                    + " \(lastSequence), to revision \(lastRevision)")
        }
    }

    var summary: StoredRoomSummary {
        StoredRoomSummary(
            name: name, revision: lastRevision, recordCount: lastSequence + 1 - firstSequence,
            logBytes: logBytes, snapshotBytes: snapshotBytes,
            createdMilliseconds: createdMilliseconds, changedMilliseconds: changedMilliseconds)
    }
}
