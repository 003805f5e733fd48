import SyncBytes
import SyncModel
import SyncStore
import SyncWire

/// Reads a room's log by itself: it shares with the room nothing but the encoding of transactions.
struct LogReader {
    /// What the log says of one transaction, all of which were accepted, or of the horizon.
    enum Entry {
        case commit(Author, counter: UInt64, ListTransaction)
        case horizon(Revision)
    }

    /// An author is another one when it comes back after it was evicted.
    struct Author {
        var client: Identifier
        /// What the merge rules know it as.
        var name: Identifier
        fileprivate var lastRevision: Revision = 0
    }

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// By slot; `nil` in those that are free.
    private var authors: [Author?] = []
    /// How often each client was introduced.
    private var introductions: [Identifier: Int] = [:]
    /// The room's id and its epochs, as far as was read.
    private(set) var identity: RoomIdentity?
    private var revision: Revision = 0
    /// The greatest last revision of an author that was evicted.
    private(set) var evictedThrough: Revision = 0
    private(set) var evictionCount = 0
    /// Up to which counter clients had sent transactions before they were introduced (again).
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

    /// What a record makes of what is known of the room's id and epochs.
    static func identity(_ identity: RoomIdentity?, after record: LogRecord) -> RoomIdentity? {
        var reader = ByteReader(record.body.bytes)
        guard (try? reader.readVarint()) != nil, let epoch = try? reader.readLengthDelimited()
        else { return identity }
        return (try? LogReader.identity(identity, withEpoch: epoch, at: record)) ?? identity
    }

    /// The first record has the room's id and an epoch's; each later one an epoch's or nothing.
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
        guard kind < 6 else { throw Unreadable(description: "an entry of kind \(kind)") }
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
        // Who had signed in.
        if kind & 4 == 4 { _ = try reader.readLengthDelimited() }
        revision += 1
        authors[slot]?.lastRevision = revision
        let counter = try reader.readVarint()
        let transaction = try ListTransaction(parsing: try reader.readLengthDelimited())
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
    /// The transaction as the wire has it, with names in their order; `nil` if it can't be sent.
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
