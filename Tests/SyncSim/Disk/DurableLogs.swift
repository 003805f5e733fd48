package import SyncModel
package import SyncStore

/// One line of a room's history, as far as it is durable: all records since the room was made,
/// those too that a store has forgotten since, and its snapshots.
///
/// It only grows, until the room is deleted or the store is put back to a copy; then it stays as it
/// is, and what follows is another line.
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

    /// Whether it is the beginning of another line, or all of it.
    fileprivate func begins(_ other: DurableLine) -> Bool {
        guard let last = records.last else { return true }
        guard records.count <= other.records.count else { return false }
        return other.records[records.count - 1] == last
    }
}

/// What is durable of each room, and what was before a deletion or a restored copy took it.
package struct DurableLogs {
    private var rooms: [String: DurableLine] = [:]
    private var former: [String: [DurableLine]] = [:]
    /// How often a room has lost something that was durable.
    private var losses: [String: Int] = [:]

    init() {}

    /// The line that goes on.
    package subscript(room: String) -> DurableLine { rooms[room] ?? DurableLine() }

    /// All lines that a room ever had, oldest first; the last one goes on.
    package func lines(of room: String) -> [DurableLine] {
        (former[room] ?? []) + (rooms[room].map { [$0] } ?? [])
    }

    /// How often a room has lost something that was durable.
    package func lossCount(of room: String) -> Int { losses[room, default: 0] }

    mutating func add(_ entry: SimulatedDisk.Entry) {
        switch entry {
        case .record(let record, let room): line(of: room).records.append(record)
        case .snapshot(let snapshot, let room): line(of: room).snapshots.append(snapshot)
        case .compaction: break
        case .deletion(let room):
            if let line = rooms.removeValue(forKey: room) { lose(line, of: room) }
        }
    }

    private mutating func line(of room: String) -> DurableLine {
        if let line = rooms[room] { return line }
        let line = DurableLine()
        rooms[room] = line
        return line
    }

    private mutating func lose(_ line: DurableLine, of room: String) {
        former[room, default: []].append(line)
        losses[room, default: 0] += 1
    }

    func copied() -> DurableLogs {
        var copy = DurableLogs()
        copy.rooms = rooms.mapValues { $0.copied() }
        return copy
    }

    mutating func putBack(to copy: DurableLogs) {
        // In an order of their own: that of a dictionary is different in each run.
        for name in Set(rooms.keys).union(copy.rooms.keys).sorted() {
            let kept = copy.rooms[name]?.copied()
            if let line = rooms[name], !(kept.map { line.begins($0) } ?? line.records.isEmpty) {
                lose(line, of: name)
            } else if rooms[name] == nil {
                // The room is another one than whoever came after its deletion knows.
                losses[name, default: 0] += 1
            }
            rooms[name] = kept
        }
    }
}
