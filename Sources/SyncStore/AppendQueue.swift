import SyncBytes
import SyncIO
import SyncModel

/// Records that wait to be committed, queued by room.
///
/// A group takes one record of each room in turn. So a room that appends much does not delay the
/// others. The records of a room stay in order.
///
/// # Performance
/// O(1) amortized to add or to take a record.
struct AppendQueue {
    /// Records that are committed together.
    struct Group {
        var appends: [PendingAppend] = []
        var completions: [StoreCompletion<Void>] = []
        var bytes = 0
    }

    private typealias Waiting = (append: PendingAppend, completion: StoreCompletion<Void>)

    private var byRoom: [RoomName: Fifo<Waiting>] = [:]
    /// The rooms that have queued records, the next one first.
    private var turns = Fifo<RoomName>()
    /// How many records wait, and their bytes.
    private(set) var count = 0
    private(set) var byteCount = 0

    var isEmpty: Bool { turns.isEmpty }

    func hasRecords(of room: RoomName) -> Bool { byRoom[room] != nil }

    mutating func add(_ append: PendingAppend, _ completion: @escaping StoreCompletion<Void>) {
        if byRoom[append.room] == nil { turns.append(append.room) }
        byRoom[append.room, default: Fifo()].append((append, completion))
        count += 1
        byteCount += append.record.body.count
    }

    /// Removes the records to commit next: as many as the limit allows, but at least one if there
    /// is any.
    mutating func takeGroup(limitBytes: Int) -> Group {
        var group = Group()
        while let room = turns.first, let next = byRoom[room]?.first {
            let bytes = next.append.record.body.count
            if !group.appends.isEmpty, group.bytes + bytes > limitBytes { break }
            group.bytes += bytes
            group.appends.append(next.append)
            group.completions.append(next.completion)
            count -= 1
            byteCount -= bytes
            _ = turns.popFirst()
            _ = byRoom[room]?.popFirst()
            if byRoom[room]?.isEmpty == true {
                byRoom[room] = nil
            } else {
                turns.append(room)
            }
        }
        return group
    }
}
