import SyncBytes
import SyncEngine
import SyncWire

/// A client's id as the table of evicted authors has it: 8 bytes of a hash under the room's id.
struct ClientHash: Hashable {
    let value: UInt64

    init(value: UInt64) {
        self.value = value
    }

    init(of client: Identifier, in room: RoomID) {
        // No message of a secret's hash begins with 0.
        let hash = SHA256.authenticate([0] + Array(client.text.utf8), key: room.bytes)
        value = hash[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// What is left of evicted authors: a hash of each one's id, a part of its secret's hash, and its last
/// counter. So nothing of theirs is applied twice when they come back.
///
/// The log determines it: it is in images, and a replay comes to the same.
///
/// Invariants:
/// 1. There are ``limit`` at most; the oldest go first, and that some did is not forgotten.
/// 2. Of two authors whose hashes are the same the greater counter is kept: what is at or below it is
///    answered with `forgotten`, never applied.
///
/// # Performance
/// Everything is O(1) amortized. The table is in pieces, so that no piece takes long to grow.
struct DepartedAuthors {
    struct Entry {
        /// A part of the hash of its secret: who shows another one is somebody else.
        var secret: UInt64
        var lastCounter: UInt64
        fileprivate var ordinal: UInt64
    }

    /// The most entries of a room, some 64 MB.
    static let maximumCount = 1_000_000
    private static let pieceCount = 256

    let limit: Int
    /// Whether some were dropped, so that who is not here may have been.
    private(set) var hasDropped = false
    private(set) var count = 0
    /// By the hash's last bits.
    private var pieces: [[ClientHash: Entry]] = []
    /// Oldest first, from `start` on; some are not in the table any more.
    private var order: [ClientHash] = []
    private var start = 0
    private var firstOrdinal: UInt64 = 0

    init(limit: Int = DepartedAuthors.maximumCount) {
        self.limit = limit
    }

    /// What it takes, with pieces that are half empty.
    var byteCount: Int {
        count * 2 * MemoryLayout<(ClientHash, Entry)>.stride
            + order.capacity * MemoryLayout<ClientHash>.stride
    }

    subscript(client: ClientHash) -> Entry? {
        pieces.isEmpty ? nil : pieces[DepartedAuthors.piece(of: client)][client]
    }

    mutating func add(_ client: ClientHash, secret: UInt64, lastCounter: UInt64) {
        if pieces.isEmpty {
            pieces = Array(repeating: [:], count: DepartedAuthors.pieceCount)
        }
        let former = self[client]
        remove(client)
        let entry = Entry(
            secret: secret, lastCounter: max(lastCounter, former?.lastCounter ?? 0),
            ordinal: firstOrdinal + UInt64(order.count - start))
        pieces[DepartedAuthors.piece(of: client)][client] = entry
        order.append(client)
        count += 1
        while count > limit { dropOldest() }
    }

    mutating func remove(_ client: ClientHash) {
        guard self[client] != nil else { return }
        pieces[DepartedAuthors.piece(of: client)][client] = nil
        count -= 1
        if order.count - start > 2 * count + 1024 { removeGaps() }
    }

    private mutating func removeGaps() {
        let entries = inOrder
        order = entries.map(\.client)
        start = 0
        for (index, client) in order.enumerated() {
            pieces[DepartedAuthors.piece(of: client)][client]?.ordinal =
                firstOrdinal + UInt64(index)
        }
    }

    private mutating func dropOldest() {
        while start < order.count {
            let client = order[start]
            let isCurrent = self[client]?.ordinal == firstOrdinal
            start += 1
            firstOrdinal += 1
            guard isCurrent else { continue }
            remove(client)
            hasDropped = true
            break
        }
        // At most one moves for each that was dropped.
        if 2 * start > order.count {
            order.removeFirst(start)
            start = 0
        }
    }

    /// All there are, oldest first.
    var inOrder: [(client: ClientHash, entry: Entry)] {
        order[start...].enumerated().compactMap { index, client in
            guard let entry = self[client], entry.ordinal == firstOrdinal + UInt64(index) else {
                return nil
            }
            return (client, entry)
        }
    }

    private static func piece(of client: ClientHash) -> Int {
        Int(client.value % UInt64(pieceCount))
    }

    // MARK: Images

    func write(to writer: inout ByteWriter) {
        writer.write(byte: hasDropped ? 1 : 0)
        writer.write(varint: UInt64(count))
        for (client, entry) in inOrder {
            writer.write(fixed64: client.value)
            writer.write(fixed64: entry.secret)
            writer.write(varint: entry.lastCounter)
        }
    }

    init(_ reader: inout ByteReader, limit: Int) throws {
        self.init(limit: limit)
        let flag = try reader.readByte()
        let stored = try reader.readVarint()
        guard flag <= 1, stored <= UInt64(limit) else {
            throw RoomError.malformed("the evicted authors of an image are too many")
        }
        for _ in 0..<stored {
            let client = ClientHash(value: try reader.readFixed64())
            guard self[client] == nil else {
                throw RoomError.malformed("an evicted author stands twice in an image")
            }
            add(
                client, secret: try reader.readFixed64(), lastCounter: try reader.readVarint())
        }
        hasDropped = flag == 1
    }
}
