import SyncBytes
import SyncEngine
import SyncStore
import SyncWire

/// Reads a room's log by itself: it shares with the room nothing but the encoding of transactions.
struct LogReader {
    /// What the log says of one transaction.
    struct Entry {
        var client: Identifier
        var counter: UInt64
        var horizon: Revision
        /// `nil` for one that was refused.
        var transaction: Transaction?
        var rejection: Rejection?
    }

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    private var clients: [Identifier] = []
    private var isFirst = true

    /// The entries of the next record.
    mutating func read(_ record: LogRecord) throws -> [Entry] {
        var reader = ByteReader(record.body.bytes)
        guard try reader.readVarint() == 2 else { throw Unreadable(description: "another format") }
        try readEpoch(try reader.readLengthDelimited())
        var entries: [Entry] = []
        while !reader.isAtEnd { entries.append(try readEntry(&reader)) }
        return entries
    }

    /// The first record has the room's id and an epoch's; each later one an epoch's or nothing.
    private mutating func readEpoch(_ bytes: UnsafeRawBufferPointer) throws {
        guard bytes.count == (isFirst ? 24 : 8) || (!isFirst && bytes.isEmpty) else {
            throw Unreadable(description: "an epoch of \(bytes.count) bytes")
        }
        isFirst = false
    }

    private mutating func readEntry(_ reader: inout ByteReader) throws -> Entry {
        let isReject = try reader.readByte() == 1
        let author = try reader.readVarint()
        if author == UInt64(clients.count) {
            clients.append(try Identifier(bytes: try reader.readLengthDelimited()))
            _ = try reader.readLengthDelimited()
        }
        guard author < UInt64(clients.count) else {
            throw Unreadable(description: "author \(author) was not introduced")
        }
        let counter = try reader.readVarint()
        let horizon = try reader.readVarint()
        var entry = Entry(client: clients[Int(author)], counter: counter, horizon: horizon)
        let content = try reader.readLengthDelimited()
        if isReject {
            entry.rejection = try Rejection(parsing: content)
        } else {
            entry.transaction = try Transaction(parsing: content)
        }
        return entry
    }
}

extension Transaction {
    /// The transaction as the wire has it, with names in their order; `nil` if it can't be sent.
    var canonical: Transaction? {
        var writer = ByteWriter()
        do {
            try PackedTransaction(self).write(to: &writer)
            return try Transaction(parsing: writer.bytes)
        } catch {
            return nil
        }
    }
}
