import SyncBytes
import SyncEngine
import SyncStore
import SyncWire

/// Reads a room's log by itself: it shares with the room nothing but the encoding of transactions.
struct LogReader {
    /// What the log says of one transaction, all of which were accepted, or of the horizon.
    enum Entry {
        case commit(Identifier, counter: UInt64, Transaction)
        case horizon(Revision)
    }

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    private var clients: [Identifier] = []
    private var isFirst = true

    /// The entries of the next record.
    mutating func read(_ record: LogRecord) throws -> [Entry] {
        var reader = ByteReader(record.body.bytes)
        guard try reader.readVarint() == 3 else { throw Unreadable(description: "another format") }
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
        let kind = try reader.readByte()
        if kind == 2 { return .horizon(try reader.readVarint()) }
        guard kind < 2 else { throw Unreadable(description: "an entry of kind \(kind)") }
        let author = try reader.readVarint()
        if kind == 1 {
            guard author == UInt64(clients.count) else {
                throw Unreadable(description: "author \(author) is not the next one")
            }
            clients.append(try Identifier(bytes: try reader.readLengthDelimited()))
            _ = try reader.readBytes(16)
        }
        guard author < UInt64(clients.count) else {
            throw Unreadable(description: "author \(author) was not introduced")
        }
        let counter = try reader.readVarint()
        let transaction = try Transaction(parsing: try reader.readLengthDelimited())
        return .commit(clients[Int(author)], counter: counter, transaction)
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
