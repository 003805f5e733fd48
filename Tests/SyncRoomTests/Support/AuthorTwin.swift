import SyncBytes
import SyncModel
import SyncRoom

/// A second reading of the rule for evicted authors, from the log alone. It remembers everything,
/// and forgets only what the rule allows.
struct AuthorTwin {
    /// What must become of a transaction that is sent, perhaps again.
    enum Verdict: Equatable {
        /// It gets its first answer.
        case committed
        /// It was not committed, but a later one of its client was.
        case passed
        case forgotten
        /// It is judged by the merge rules.
        case new
    }

    struct Transaction: Hashable {
        var client: Identifier
        var counter: UInt64
    }

    private struct Author {
        var client: Identifier
        var forgottenThrough: UInt64
        var lastCounter: UInt64 = 0
        var lastRevision: Revision = 0
    }

    /// The authors by slot.
    private var authors: [UInt64: Author] = [:]
    /// Every committed transaction, and how often it was committed.
    private(set) var commits: [Transaction: Int] = [:]
    /// The greatest last revision of an author that was evicted.
    private(set) var evictedThrough: Revision = 0
    private(set) var evictionCount = 0
    private var revision: Revision = 0
    /// The last record that was read.
    private(set) var sequence: UInt64 = 0

    mutating func read(_ record: LogRecord) throws {
        var reader = ByteReader(record.body.bytes)
        guard try reader.readVarint() == 4 else { throw RoomError.malformed("another format") }
        _ = try reader.readLengthDelimited()
        while !reader.isAtEnd { try readEntry(&reader) }
        sequence = record.sequence
    }

    private mutating func readEntry(_ reader: inout ByteReader) throws {
        let kind = try reader.readByte()
        let number = try reader.readVarint()
        switch kind {
        case 2: return
        case 3:
            evictedThrough = max(evictedThrough, authors[number]?.lastRevision ?? 0)
            authors[number] = nil
            evictionCount += 1
        default:
            if kind & 1 == 1 {
                let client = try Identifier(bytes: try reader.readLengthDelimited())
                _ = try reader.readBytes(16)
                authors[number] = Author(
                    client: client, forgottenThrough: try reader.readVarint())
            }
            if kind & 4 == 4 { _ = try reader.readLengthDelimited() }
            let counter = try reader.readVarint()
            _ = try reader.readLengthDelimited()
            revision += 1
            guard let client = authors[number]?.client else { return }
            let transaction = Transaction(client: client, counter: counter)
            commits[transaction, default: 0] += 1
            authors[number]?.lastCounter = counter
            authors[number]?.lastRevision = revision
        }
    }

    /// The rule's verdict on a transaction that a client sends now.
    ///
    /// - Parameter sent: the counter up to which the client says that it had sent transactions
    ///   before it joined.
    func verdict(
        on transaction: Transaction, base: Revision, sent: UInt64
    ) -> Verdict {
        let author = authors.values.first { $0.client == transaction.client }
        guard let author else {
            return transaction.counter <= sent && base < evictedThrough ? .forgotten : .new
        }
        if transaction.counter > author.lastCounter { return .new }
        if transaction.counter <= author.forgottenThrough { return .forgotten }
        return commits[transaction] == nil ? .passed : .committed
    }
}
