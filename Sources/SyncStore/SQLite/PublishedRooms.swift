import SyncIO
import SyncModel

/// The durable state of each room, for reads on another connection than the one that writes.
///
/// It is updated after each commit. So a transaction that begins after a lookup here contains
/// everything that this state says, and perhaps more.
///
/// It is divided into pieces with a lock each. ``all`` copies the rooms of one piece at a time
/// under its lock, and does not retain its dictionary. So a commit waits for the copy of one piece
/// at most, and never has to copy a dictionary itself.
final class PublishedRooms: Sendable {
    private typealias Piece = Monitor<[RoomName: SQLiteStorage.Room]>

    static let pieceCount = 256
    /// How often a room is read if it changes at the same time.
    static let attempts = 8

    private let pieces = (0..<PublishedRooms.pieceCount).map { _ in Piece([:]) }

    private func piece(of name: RoomName) -> Piece {
        pieces[Int(UInt(bitPattern: name.hashValue) % UInt(pieces.count))]
    }

    subscript(name: RoomName) -> SQLiteStorage.Room? {
        piece(of: name).withLock { $0[name] }
    }

    /// Reads a room by its state here. If that fails, and the room was compacted or deleted in the
    /// meantime, it is read again.
    ///
    /// - Returns: `nil` if there is no such room.
    func read<Value>(
        _ name: RoomName, _ body: (SQLiteStorage.Room) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        var attempt = 1
        while true {
            guard let room = self[name] else { return nil }
            do throws(StoreError) {
                return try body(room)
            } catch {
                guard attempt < Self.attempts, self[name] != room else { throw error }
                attempt += 1
            }
        }
    }

    /// All rooms, in no order.
    var all: [SQLiteStorage.Room] {
        pieces.flatMap { piece in piece.withLock { Array($0.values) } }
    }

    /// How many rooms one lock protects at most.
    var largestPiece: Int {
        pieces.reduce(0) { max($0, $1.withLock { $0.count }) }
    }

    func update(_ changed: [RoomName: SQLiteStorage.Room]) {
        for (name, room) in changed { piece(of: name).withLock { $0[name] = room } }
    }

    func remove(_ name: RoomName) {
        piece(of: name).withLock { $0[name] = nil }
    }
}
