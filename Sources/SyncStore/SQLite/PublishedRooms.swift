import SyncIO

/// What is durable of each room, for those who read on another connection than the one that writes.
///
/// It is brought up to date behind each commit: a transaction that is begun after a look at a room
/// here shows all that is said of it, and perhaps more.
///
/// It is in pieces with a lock each. Whoever takes all rooms holds one piece at a time and shares
/// none: so a commit waits for a copy of one piece at most, and copies none itself.
final class PublishedRooms: Sendable {
    private typealias Piece = Monitor<[String: SQLiteStorage.Room]>

    static let pieceCount = 256

    private let pieces = (0..<PublishedRooms.pieceCount).map { _ in Piece([:]) }

    private func piece(of name: String) -> Piece {
        pieces[Int(UInt(bitPattern: name.hashValue) % UInt(pieces.count))]
    }

    subscript(name: String) -> SQLiteStorage.Room? {
        piece(of: name).withLock { $0[name] }
    }

    /// All there are, in no order.
    var all: [SQLiteStorage.Room] {
        pieces.flatMap { piece in piece.withLock { Array($0.values) } }
    }

    /// How many rooms stand behind one lock at most.
    var largestPiece: Int {
        pieces.reduce(0) { max($0, $1.withLock { $0.count }) }
    }

    func update(_ changed: [String: SQLiteStorage.Room]) {
        for (name, room) in changed { piece(of: name).withLock { $0[name] = room } }
    }

    func remove(_ name: String) {
        piece(of: name).withLock { $0[name] = nil }
    }
}
