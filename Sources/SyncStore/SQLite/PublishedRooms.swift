import SyncIO

/// What is durable of each room, for those who read on another connection than the one that writes.
///
/// It is brought up to date behind each commit: a transaction that is begun after a look into it shows all
/// that it says, and perhaps more.
final class PublishedRooms: Sendable {
    private let rooms = Monitor<[String: SQLiteStorage.Room]>([:])

    subscript(name: String) -> SQLiteStorage.Room? {
        rooms.withLock { $0[name] }
    }

    /// All there are, in no order.
    var all: [SQLiteStorage.Room] {
        Array(rooms.withLock { $0 }.values)
    }

    func update(_ changed: [String: SQLiteStorage.Room]) {
        rooms.withLock { rooms in rooms.merge(changed) { $1 } }
    }

    func remove(_ name: String) {
        rooms.withLock { $0[name] = nil }
    }
}
