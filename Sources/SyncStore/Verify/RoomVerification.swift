import SyncBytes
import SyncModel

/// Checks one room: it walks along the log, and checks each snapshot at its position.
struct RoomVerification {
    private let room: SQLiteStorage.Room
    private let storage: SQLiteStorage
    private let replay: (any RoomReplay)?
    private let maximumBytes: Int
    private let report: (RoomFlaw) -> Void

    private(set) var recordCount = 0
    private(set) var snapshotCount = 0
    /// The snapshots that are not checked yet, the next one last.
    private var headers: [SnapshotHeader] = []
    /// Whether the replay has followed the log to here.
    private var isReplaying = false
    private var nextSequence: UInt64
    /// `nil` if damage has made it unknown.
    private var revision: UInt64?
    private var logBytes: UInt64 = 0

    init(
        _ room: SQLiteStorage.Room, in storage: SQLiteStorage, replay: (any RoomReplay)?,
        atMost maximumBytes: Int, report: @escaping (RoomFlaw) -> Void
    ) {
        self.room = room
        self.storage = storage
        self.replay = replay
        self.maximumBytes = maximumBytes
        self.report = report
        nextSequence = room.state.firstSequence
        revision = nextSequence == 1 ? 0 : nil
    }

    mutating func run() {
        do throws(StoreError) {
            try readHeaders()
            if room.state.firstSequence == 1 {
                begin(at: nil)
            } else if headers.isEmpty {
                report("the log begins with record \(nextSequence), but there is no snapshot")
            }
            passSnapshots()
            try walk()
        } catch {
            report(RoomFlaw(error.description))
        }
    }

    private mutating func readHeaders() throws(StoreError) {
        let state = room.state
        var storedBytes: UInt64 = 0
        try storage.rows.forEachSnapshot(of: room) { sequence, header throws(StoreError) in
            guard let header else {
                report("the entry of the snapshot after record \(sequence) is damaged")
                return
            }
            storedBytes = header.addBytes(to: storedBytes)
            if sequence + 1 < state.firstSequence || sequence > state.lastSequence {
                report("the snapshot after record \(sequence) stands outside the log")
            } else {
                headers.append(header)
            }
        }
        if storedBytes != state.snapshotBytes {
            report(
                """
                the snapshots have \(storedBytes) bytes, but there should be \(state.snapshotBytes)
                """)
        }
        headers.reverse()
    }

    private mutating func walk() throws(StoreError) {
        let state = room.state
        let first = nextSequence
        try storage.rows.forEachRow(of: room, from: first) { sequence, record throws(StoreError) in
            pass(sequence, record)
            return true
        }
        if nextSequence <= state.lastSequence {
            reportMissing(through: state.lastSequence)
        } else if nextSequence > state.lastSequence + 1 {
            report("there are records after \(state.lastSequence), which should be the last one")
        }
        if let revision, revision != state.lastRevision {
            report("the log ends with revision \(revision), not \(state.lastRevision)")
        }
        if logBytes != state.logBytes {
            report("the records have \(logBytes) bytes, but there should be \(state.logBytes)")
        }
    }

    private mutating func pass(_ sequence: UInt64, _ record: LogRecord?) {
        recordCount += 1
        guard sequence >= nextSequence else {
            report("record \(sequence) stands out of order")
            return
        }
        if sequence > nextSequence { reportMissing(through: sequence - 1) }
        nextSequence = sequence + 1
        if let record {
            if let revision, record.firstRevision != revision + 1 {
                report(
                    """
                    record \(sequence) begins with revision \(record.firstRevision), not \
                    \(revision + 1)
                    """)
            }
            revision = record.lastRevision
            logBytes += UInt64(record.body.count)
            if isReplaying, let failure = replay?.apply(record) {
                report(
                    RoomFlaw(
                        "record \(sequence) cannot be replayed: \(failure)",
                        isTooLarge: failure.isTooLarge))
                isReplaying = false
            }
        } else {
            report("record \(sequence) is damaged")
            loseTrack()
        }
        passSnapshots()
    }

    /// Checks the snapshots at this position, and those in a gap of the log before it.
    private mutating func passSnapshots() {
        while let header = headers.last, header.sequence < nextSequence {
            headers.removeLast()
            snapshotCount += 1
            if let revision, header.sequence + 1 == nextSequence, header.revision != revision {
                report(
                    """
                    the snapshot after record \(header.sequence) has revision \(header.revision), \
                    the log has \(revision)
                    """)
            }
            guard header.size <= UInt64(maximumBytes) else {
                report(
                    RoomFlaw(
                        "the snapshot after record \(header.sequence) has \(header.size) bytes;"
                            + " a room may have \(maximumBytes)", isTooLarge: true))
                if header.sequence + 1 == nextSequence { isReplaying = false }
                continue
            }
            do throws(StoreError) {
                let snapshot = try storage.rows.readSnapshot(header, of: room)
                // A snapshot in a gap can't be compared, nor serve as a new start after the gap.
                if header.sequence + 1 == nextSequence { compare(with: snapshot) }
            } catch {
                report("the snapshot after record \(header.sequence) is damaged")
            }
        }
    }

    private mutating func compare(with snapshot: StoredSnapshot) {
        revision = revision ?? snapshot.revision
        if isReplaying {
            guard let failure = replay?.compare(with: snapshot) else { return }
            report(
                RoomFlaw(
                    "the snapshot after record \(snapshot.sequence) is not its replay: \(failure)",
                    isTooLarge: failure.isTooLarge))
        }
        begin(at: snapshot)
    }

    private mutating func begin(at snapshot: StoredSnapshot?) {
        isReplaying = replay != nil
        if let failure = replay?.begin(room: room.state.name, at: snapshot) {
            report(
                RoomFlaw(
                    "the snapshot after record \(snapshot?.sequence ?? 0) cannot be read:"
                        + " \(failure)", isTooLarge: failure.isTooLarge))
            isReplaying = false
        }
    }

    private mutating func reportMissing(through last: UInt64) {
        report(
            last == nextSequence
                ? "record \(last) is missing" : "records \(nextSequence) to \(last) are missing")
        nextSequence = last + 1
        loseTrack()
        passSnapshots()
    }

    private mutating func loseTrack() {
        revision = nil
        isReplaying = false
    }
}
