import SyncBytes
import SyncModel
import SyncStore
import SyncWire

/// Reads a room's log with code of its own. It shares only the encoding of transactions with the
/// room.
struct LogReader {
    /// An entry of the log: an accepted transaction or a move of the horizon.
    enum Entry {
        case commit(Author, counter: UInt64, ListTransaction)
        case horizon(Revision)
    }

    /// An author of the log. A client that comes back after its eviction is another author.
    struct Author {
        var client: Identifier
        /// Its name in the merge rules.
        var name: Identifier
        fileprivate var lastRevision: Revision = 0
    }

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// By slot; `nil` if the slot is free.
    private var authors: [Author?] = []
    /// How often each client was introduced.
    private var introductions: [Identifier: Int] = [:]
    /// The room's id and its epochs so far.
    private(set) var identity: RoomIdentity?
    private var revision: Revision = 0
    /// The greatest last revision of an evicted author.
    private(set) var evictedThrough: Revision = 0
    private(set) var evictionCount = 0
    /// The last counter of each client before its last introduction.
    private(set) var forgottenThrough: [Identifier: UInt64] = [:]

    /// The entries of the next record.
    mutating func read(_ record: LogRecord) throws -> [Entry] {
        var reader = ByteReader(record.body.bytes)
        guard try reader.readVarint() == 4 else { throw Unreadable(description: "another format") }
        identity = try LogReader.identity(
            identity, withEpoch: try reader.readLengthDelimited(), at: record)
        var entries: [Entry] = []
        while !reader.isAtEnd {
            if let entry = try readEntry(&reader) { entries.append(entry) }
        }
        return entries
    }

    /// The identity after a record, from the identity before it.
    static func identity(_ identity: RoomIdentity?, after record: LogRecord) -> RoomIdentity? {
        var reader = ByteReader(record.body.bytes)
        guard (try? reader.readVarint()) != nil, let epoch = try? reader.readLengthDelimited()
        else { return identity }
        return (try? LogReader.identity(identity, withEpoch: epoch, at: record)) ?? identity
    }

    /// The first record has the ids of the room and of an epoch; each later one has the id of an
    /// epoch or nothing.
    private static func identity(
        _ identity: RoomIdentity?, withEpoch bytes: UnsafeRawBufferPointer, at record: LogRecord
    ) throws -> RoomIdentity? {
        if identity != nil, bytes.isEmpty { return identity }
        let id = UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count - min(8, bytes.count)))
        let last = UnsafeRawBufferPointer(rebasing: bytes.suffix(8))
        guard let epochID = EpochID(bytes: last) else {
            throw Unreadable(description: "an epoch of \(bytes.count) bytes")
        }
        let epoch = Epoch(epochID, first: record.firstRevision - 1)
        if var known = identity, id.isEmpty {
            known.begin(epoch)
            return known
        }
        guard identity == nil, let room = RoomID(bytes: id) else {
            throw Unreadable(description: "a room's id of \(id.count) bytes")
        }
        return RoomIdentity(room, epoch)
    }

    private mutating func readEntry(_ reader: inout ByteReader) throws -> Entry? {
        let kind = try reader.readByte()
        if kind == 2 { return .horizon(try reader.readVarint()) }
        guard kind & ~8 < 6, kind != 10, kind != 11 else {
            throw Unreadable(description: "an entry of kind \(kind)")
        }
        let slot = Int(try reader.readVarint())
        if kind & 1 == 1, kind != 3 { try introduce(in: slot, &reader) }
        guard slot < authors.count, let author = authors[slot] else {
            throw Unreadable(description: "author \(slot) was not introduced")
        }
        if kind == 3 {
            evictedThrough = max(evictedThrough, author.lastRevision)
            evictionCount += 1
            authors[slot] = nil
            return nil
        }
        // The user that had signed in.
        if kind & 4 == 4 { _ = try reader.readLengthDelimited() }
        revision += 1
        authors[slot]?.lastRevision = revision
        let counter = try reader.readVarint()
        var transaction = try ListTransaction(parsing: try reader.readLengthDelimited())
        transaction.hasSeenNothing = kind & 8 == 8
        return .commit(author, counter: counter, transaction)
    }

    private mutating func introduce(in slot: Int, _ reader: inout ByteReader) throws {
        let client = try Identifier(bytes: try reader.readLengthDelimited())
        _ = try reader.readBytes(16)
        let sent = try reader.readVarint()
        forgottenThrough[client] = max(forgottenThrough[client] ?? 0, sent)
        if slot == authors.count { authors.append(nil) }
        guard slot < authors.count, authors[slot] == nil,
            !authors.contains(where: { $0?.client == client })
        else {
            throw Unreadable(description: "author \(slot) is introduced twice")
        }
        let times = introductions[client, default: 0] + 1
        introductions[client] = times
        let name = times == 1 ? client : try Identifier("\(client) \(times)")
        authors[slot] = Author(client: client, name: name)
    }
}

extension ListTransaction {
    /// The transaction as on the wire, with sorted names; `nil` if it can't be sent.
    var canonical: ListTransaction? {
        var writer = ByteWriter()
        do {
            try PackedTransaction(self).write(to: &writer)
            return try ListTransaction(parsing: writer.bytes)
        } catch {
            return nil
        }
    }
}
