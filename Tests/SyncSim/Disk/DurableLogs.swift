package import SyncModel
package import SyncStore

/// The durable part of one line of a room's history: all records since the room was created, even
/// those that a store has compacted since, and its snapshots.
///
/// It only grows, until the room is deleted or the store is restored to a copy. Then it never
/// changes again, and another line begins.
package final class DurableLine {
    package fileprivate(set) var records: [LogRecord]
    package fileprivate(set) var snapshots: [StoredSnapshot]

    package var revision: UInt64 { records.last?.lastRevision ?? 0 }

    fileprivate init(records: [LogRecord] = [], snapshots: [StoredSnapshot] = []) {
        self.records = records
        self.snapshots = snapshots
    }

    fileprivate func copied() -> DurableLine {
        DurableLine(records: records, snapshots: snapshots)
    }

    /// Whether another line begins with it, or equals it.
    fileprivate func begins(_ other: DurableLine) -> Bool {
        guard let last = records.last else { return true }
        guard records.count <= other.records.count else { return false }
        return other.records[records.count - 1] == last
    }
}

/// The durable history of each room, including lines that a deletion or a restored copy ended.
package struct DurableLogs {
    private var rooms: [RoomName: DurableLine] = [:]
    private var former: [RoomName: [DurableLine]] = [:]
    /// How often a room has lost something durable.
    private var losses: [RoomName: Int] = [:]

    init() {}

    /// The current line.
    package subscript(room: RoomName) -> DurableLine { rooms[room] ?? DurableLine() }

    /// All lines that a room has had, oldest first; the last one is current.
    package func lines(of room: RoomName) -> [DurableLine] {
        (former[room] ?? []) + (rooms[room].map { [$0] } ?? [])
    }

    /// How often a room has lost something durable.
    package func lossCount(of room: RoomName) -> Int { losses[room, default: 0] }

    mutating func add(_ entry: SimulatedDisk.Entry) {
        switch entry {
        case .record(let record, let room): line(of: room).records.append(record)
        case .snapshot(let snapshot, let room): line(of: room).snapshots.append(snapshot)
        case .compaction, .time: break
        case .deletion(let room):
            if let line = rooms.removeValue(forKey: room) { lose(line, of: room) }
        }
    }

    private mutating func line(of room: RoomName) -> DurableLine {
        if let line = rooms[room] { return line }
        let line = DurableLine()
        rooms[room] = line
        return line
    }

    private mutating func lose(_ line: DurableLine, of room: RoomName) {
        former[room, default: []].append(line)
        losses[room, default: 0] += 1
    }

    func copied() -> DurableLogs {
        var copy = DurableLogs()
        copy.rooms = rooms.mapValues { $0.copied() }
        return copy
    }

    mutating func putBack(to copy: DurableLogs) {
        // Sorted: the order of a dictionary differs in each run.
        for name in Set(rooms.keys).union(copy.rooms.keys).sorted() {
            let kept = copy.rooms[name]?.copied()
            if let line = rooms[name], !(kept.map { line.begins($0) } ?? line.records.isEmpty) {
                lose(line, of: name)
            } else if rooms[name] == nil {
                // Clients that know of the deletion know another room.
                losses[name, default: 0] += 1
            }
            rooms[name] = kept
        }
    }
}
