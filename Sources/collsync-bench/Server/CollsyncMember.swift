import SyncBytes
import SyncModel
import SyncWire

/// A member of a collsync room. It implements the protocol itself, because a client's library would
/// reach its limit before the server does.
///
/// It only reads the heads of frames. From them it checks that no edit is rejected and that each
/// batch begins where the one before ended, and it learns where the last batch ended. A member that
/// falls far behind may receive a snapshot instead, and continues from there.
struct CollsyncMember: CrowdMember {
    /// What the members of a room share.
    struct Room {
        var name: RoomName
        /// The revision at which they join, so that they need no snapshot.
        var revision: Revision
        var origin: Origin
        var pool: EditPool
    }

    private let room: Room
    private let handle: RoomHandle
    private let identity: RoomIdentity
    private var written: UInt64 = 0
    private var nextEdit: Int
    private var skimmer = FrameSkimmer()
    private var progress: Progress

    private struct Progress {
        var answered = 0
        /// The end of the last complete batch.
        var complete: Revision
        /// The range of the last batch that has begun.
        var from: Revision
        var to: Revision
        var snapshots = 0
    }

    init(entering socket: Socket, number: Int, room: Room) throws {
        self.room = room
        let talk = Talk(socket)
        try talk.hello()
        let joined = try talk.join(
            room.name, as: "member-\(number)", from: room.revision,
            origin: room.origin)
        guard joined.resumed else { throw BenchError("a member gets a snapshot") }
        handle = joined.handle
        identity = joined.identity
        nextEdit = number * 1009 % room.pool.edits.count
        progress = Progress(complete: room.revision, from: room.revision, to: room.revision)
    }

    mutating func settle() {}

    var seen: Int { Int(progress.complete - room.revision) }
    var answered: Int { progress.answered }
    var snapshots: Int { progress.snapshots }

    // MARK: Writing

    mutating func writeEdit(to writer: inout ByteWriter) {
        written += 1
        let frame = writer.beginLengthDelimited()
        writer.write(tag: FrameField.submit, .lengthDelimited)
        let submit = writer.beginLengthDelimited()
        writer.write(field: SubmitField.room, varint: UInt64(handle))
        writer.write(field: SubmitField.counter, varint: written)
        writer.write(tag: SubmitField.transaction, .lengthDelimited)
        let transaction = writer.beginLengthDelimited()
        writer.write(field: TransactionField.base, varint: progress.complete)
        writer.write(contentsOf: room.pool.edits[nextEdit])
        writer.endLengthDelimited(transaction)
        writer.endLengthDelimited(submit)
        writer.endLengthDelimited(frame)
        nextEdit = (nextEdit + 1) % room.pool.edits.count
    }

    func writeSignOfLife(to writer: inout ByteWriter) {
        let held = Heartbeat.Entry(
            room: handle, revision: progress.complete,
            origin: identity.origin(of: progress.complete))
        let frame = MessageEncoder().encode(ClientMessage.heartbeat(Heartbeat(rooms: [held])))
        frame.plain.withBytes { writer.write(contentsOf: $0) }
    }

    // MARK: Reading

    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws {
        var progress = progress
        try skimmer.skim(bytes) { head in try CollsyncMember.take(head, &progress) }
        if skimmer.isAtBoundary { progress.complete = progress.to }
        self.progress = progress
    }

    private static func take(_ head: UnsafeRawBufferPointer, _ progress: inout Progress) throws {
        // A new frame means that the frame before is complete.
        progress.complete = progress.to
        var reader = ByteReader(head)
        guard let (frame, _) = try reader.readTag() else { return }
        switch frame {
        case FrameField.ack: progress.answered += 1
        case FrameField.batch: try takeBatch(&reader, &progress)
        case FrameField.snapshot: try takeSnapshot(&reader, &progress)
        case FrameField.heartbeat: break
        default: throw BenchError("the server says something unexpected, message \(frame)")
        }
    }

    private static func takeSnapshot(
        _ reader: inout ByteReader, _ progress: inout Progress
    ) throws {
        _ = try reader.readVarint()
        var revision: Revision = 0
        while let (field, type) = try reader.readTag() {
            switch field {
            case SnapshotField.revision: revision = try reader.readVarint()
            case SnapshotField.isFirst where try reader.readVarint() != 0:
                guard revision > progress.to else {
                    throw BenchError("a snapshot leads back to \(revision)")
                }
                progress.snapshots += 1
                (progress.from, progress.to) = (revision, revision)
                return
            case SnapshotField.pieces: return
            case SnapshotField.isFirst: continue
            default: try reader.skip(type)
            }
        }
    }

    private static func takeBatch(_ reader: inout ByteReader, _ progress: inout Progress) throws {
        _ = try reader.readVarint()
        var from: Revision = 0
        while let (field, type) = try reader.readTag() {
            switch field {
            case BatchField.from: from = try reader.readVarint()
            case BatchField.to:
                let to = try reader.readVarint()
                // Another part of a large batch, or the next batch.
                let isPart = from == progress.from && to == progress.to
                guard isPart || from == progress.to else {
                    throw BenchError("a batch begins at \(from), not at \(progress.to)")
                }
                (progress.from, progress.to) = (from, to)
                return
            default: try reader.skip(type)
            }
        }
        throw BenchError("a batch does not say where it leads")
    }
}

// The field numbers of the protocol that a crowd needs.
private enum FrameField {
    static let submit = 2
    static let ack = 3
    static let batch = 5
    static let heartbeat = 6
    static let snapshot = 7
}

private enum SnapshotField {
    static let revision = 3
    static let isFirst = 4
    static let pieces = 6
}

private enum SubmitField {
    static let room = 1
    static let counter = 2
    static let transaction = 3
}

private enum TransactionField {
    static let base = 1
}

private enum BatchField {
    static let from = 3
    static let to = 4
}
