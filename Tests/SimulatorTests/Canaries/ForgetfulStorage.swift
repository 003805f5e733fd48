import SyncBytes
import SyncEngine
import SyncIO
import SyncModel
import SyncRoom
import SyncStore

/// Forgets something when a room is opened, so that a resent transaction looks new.
final class ForgetfulStorage: Storage, @unchecked Sendable {
    enum Loss {
        /// The answers to authors.
        case results
        /// How far evicted authors had written.
        case evictions
    }

    // Sendable, because a simulation has one thread.
    private let storage: any Storage
    private let loss: Loss

    init(_ storage: any Storage, _ loss: Loss) {
        self.storage = storage
        self.loss = loss
    }

    func open(
        room: RoomName, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredRoom? {
        guard let stored = try storage.open(room: room, admitting: mayRead),
            let last = stored.records.last
        else {
            return try storage.open(room: room, admitting: mayRead)
        }
        do {
            let state = try stored.snapshot.map { try RoomState(image: $0.body.bytes) }
            let room = state ?? RoomState()
            for record in stored.records { try room.apply(record) }
            let snapshot = StoredSnapshot(
                sequence: last.sequence, revision: last.lastRevision,
                trustedMilliseconds: last.wallClockMilliseconds,
                body: try damaged(room.encodeImage(), authors: room.engine.authorCount))
            return StoredRoom(snapshot: snapshot, records: [])
        } catch {
            throw .corrupt(room: room, what: "\(error)")
        }
    }

    /// The image without the answers of its authors, or without the evictions.
    private func damaged(_ image: SharedBytes, authors: Int) throws -> SharedBytes {
        var reader = ByteReader(image.bytes)
        func position() -> Int { image.count - reader.count }
        for _ in 0..<2 { _ = try reader.readVarint() }
        for _ in 0..<2 { _ = try reader.readLengthDelimited() }
        var kept = Array(image.bytes[..<position()])
        let evictedThrough = try reader.readVarint()
        if loss == .evictions { return SharedBytes(kept + [0] + image.bytes[position()...]) }
        var writer = ByteWriter()
        writer.write(varint: evictedThrough)
        kept += Array(writer.bytes)
        for _ in 0..<authors {
            let start = position()
            _ = try reader.readBytes(16)
            kept += Array(image.bytes[start..<position()]) + [0, 0, 0, 0]
            _ = try reader.readLengthDelimited()
            for _ in 0..<2 { _ = try reader.readVarint() }
            for _ in 0..<(try reader.readVarint()) { try skipResult(&reader) }
        }
        return SharedBytes(kept)
    }

    private func skipResult(_ reader: inout ByteReader) throws {
        _ = try reader.readVarint()
        let kind = try reader.readByte()
        _ = try reader.readVarint()
        let losses = kind == 1 ? try reader.readVarint() : 0
        for _ in 0..<losses { _ = try reader.readLengthDelimited() }
    }

    var time: StoreTime { storage.time }

    func note(_ time: TrustedTime) throws(StoreError) { try storage.note(time) }

    func append(_ group: [PendingAppend]) throws(StoreError) -> [StoreError?] {
        try storage.append(group)
    }

    func readLog(
        room: RoomName, after sequence: UInt64, limitBytes: Int, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> LogPage {
        try storage.readLog(
            room: room, after: sequence, limitBytes: limitBytes, admitting: mayRead)
    }

    func readSnapshot(
        room: RoomName, atOrBelowRevision revision: UInt64, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredSnapshot? {
        try storage.readSnapshot(
            room: room, atOrBelowRevision: revision, admitting: mayRead)
    }

    func oldestRevision(of room: RoomName) throws(StoreError) -> UInt64 {
        try storage.oldestRevision(of: room)
    }

    func rooms() throws(StoreError) -> [StoredRoomSummary] { try storage.rooms() }

    func summary(of room: RoomName) throws(StoreError) -> StoredRoomSummary? {
        try storage.summary(of: room)
    }

    func deleteRoom(_ room: RoomName) throws(StoreError) { try storage.deleteRoom(room) }

    func saveSnapshot(_ snapshot: StoredSnapshot, of room: RoomName) throws(StoreError) -> Bool {
        try storage.saveSnapshot(snapshot, of: room)
    }

    func compact(
        room: RoomName, olderThanTrustedMilliseconds cutoff: UInt64
    ) throws(StoreError) -> Bool {
        try storage.compact(room: room, olderThanTrustedMilliseconds: cutoff)
    }

    func sweep() throws(StoreError) -> Bool { try storage.sweep() }

    func close() { storage.close() }
}
