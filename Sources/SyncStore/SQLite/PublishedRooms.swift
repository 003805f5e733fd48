import SyncIO

/// The durable state of each room, for reads on another connection than the one that writes.
///
/// It is updated after each commit. So a transaction that begins after a lookup here contains
/// everything that this state says, and perhaps more.
///
/// It is divided into pieces with a lock each. ``all`` copies the rooms of one piece at a time
/// under its lock, and does not retain its dictionary. So a commit waits for the copy of one piece
/// at most, and never has to copy a dictionary itself.
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

    /// All rooms, in no order.
    var all: [SQLiteStorage.Room] {
        pieces.flatMap { piece in piece.withLock { Array($0.values) } }
    }

    /// How many rooms one lock protects at most.
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
