/// The key of a row that belongs to a room and a position in its log: both in one integer.
///
/// SQLite keeps a table sorted by its integer key. So a room's records are adjacent and in order,
/// and need no other index. Reading or appending a run of them touches few pages.
enum RowKey {
    static let sequenceBits: Int64 = 39

    /// A room's number must be below this.
    static let roomLimit: Int64 = 1 << (63 - sequenceBits)

    static func make(room: Int64, sequence: UInt64) -> Int64 {
        room << sequenceBits | Int64(sequence)
    }

    /// All keys of a room.
    static func range(of room: Int64) -> ClosedRange<Int64> {
        make(room: room, sequence: 0)...make(room: room, sequence: LogState.maximumSequence + 1)
    }

    static func sequence(of key: Int64) -> UInt64 {
        UInt64(key & (1 << sequenceBits - 1))
    }
}
