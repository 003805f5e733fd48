import SyncBytes
import SyncModel
import SyncWire

/// One transaction in a record: who made it, and what it was.
///
/// A record's body is its format, then whether it begins an epoch, and then entry after entry:
///
///     epoch   = length [ [ room ] id ]     -- the room's id, 16 bytes, in the first record only
///     entry   = kind author counter length transaction
///             | kind slot                                        -- of an author that is evicted
///             | kind horizon
///     author  = slot [ length client secret forgottenThrough ] [ length user ]
///               -- what stands in brackets where the kind says so
///
/// with all numbers as varints; a secret is its hash of 16 bytes. Only what was accepted is there,
/// and which authors were evicted by it, as the policy that says so may change. Who has signed in
/// stands there when it is somebody else than with the author's commit before: one client may serve
/// several users. A record's time is that of all its entries. Its last entry is the horizon from
/// then on, since what a transaction means depends on what was forgotten by then.
struct LogEntry {
    static let format: UInt64 = 4

    enum Kind: UInt8 {
        case commit = 0
        /// A commit of an author that has none before.
        case firstCommit = 1
        case horizon = 2
        case eviction = 3
        /// The same of another user than before.
        case commitOfUser = 4
        case firstCommitOfUser = 5

        init(isFirst: Bool, hasUser: Bool) {
            self =
                isFirst
                ? hasUser ? .firstCommitOfUser : .firstCommit
                : hasUser ? .commitOfUser : .commit
        }
    }

    /// Who an author is. One that comes back after it was evicted may have commits up to a counter.
    struct Introduction {
        var client: Identifier
        var secret: SecretHash
        var forgottenThrough: UInt64
    }

    var slot: UInt32
    /// Who the author is, with its first entry.
    var introduction: Introduction?
    /// As whom the author has signed in, empty if it has not; `nil` if that is as before.
    var user: String?
    var counter: UInt64

    /// What the next entry says; a transaction's bytes are valid as long as the body is.
    enum Reading {
        case commit(LogEntry, UnsafeRawBufferPointer)
        case horizon(Revision)
        case eviction(slot: UInt32)
    }

    static func read(_ reader: inout ByteReader) throws(RoomError) -> Reading {
        do {
            guard let kind = Kind(rawValue: try reader.readByte()) else {
                throw RoomError.malformed("an entry of the log is of no known kind")
            }
            if kind == .horizon { return .horizon(try reader.readVarint()) }
            guard let slot = UInt32(exactly: try reader.readVarint()) else {
                throw RoomError.malformed("an entry of the log has no author")
            }
            if kind == .eviction { return .eviction(slot: slot) }
            var entry = LogEntry(slot: slot, counter: 0)
            if kind == .firstCommit || kind == .firstCommitOfUser {
                let client = try Identifier(bytes: try reader.readLengthDelimited())
                let bytes = try reader.readBytes(SecretHash.byteCount)
                guard let secret = SecretHash(bytes: bytes) else {
                    throw RoomError.malformed("a secret's hash in the log can't be read")
                }
                entry.introduction = Introduction(
                    client: client, secret: secret, forgottenThrough: try reader.readVarint())
            }
            if kind == .commitOfUser || kind == .firstCommitOfUser {
                guard
                    let user = String(
                        validating: try reader.readLengthDelimited(), as: UTF8.self)
                else {
                    throw RoomError.malformed("a user's name in the log can't be read")
                }
                entry.user = user
            }
            entry.counter = try reader.readVarint()
            return .commit(entry, try reader.readLengthDelimited())
        } catch {
            throw error as? RoomError ?? .malformed("an entry of the log is cut short")
        }
    }

    /// Writes the entry but for its transaction.
    func writeHead(to writer: inout ByteWriter) {
        writer.write(byte: Kind(isFirst: introduction != nil, hasUser: user != nil).rawValue)
        writer.write(varint: UInt64(slot))
        if let introduction {
            introduction.client.withBytes { writer.write(lengthAnd: $0) }
            introduction.secret.write(to: &writer)
            writer.write(varint: introduction.forgottenThrough)
        }
        if let user { writer.write(lengthAnd: user) }
        writer.write(varint: counter)
    }

    /// Writes the head of a commit's entry that says no more than whose it is.
    static func write(commitOf slot: UInt32, _ counter: UInt64, to writer: inout ByteWriter) {
        writer.write(byte: Kind.commit.rawValue)
        writer.write(varint: UInt64(slot))
        writer.write(varint: counter)
    }

    static func write(evictionOf slot: UInt32, to writer: inout ByteWriter) {
        writer.write(byte: Kind.eviction.rawValue)
        writer.write(varint: UInt64(slot))
    }

    static func write(horizon: Revision, to writer: inout ByteWriter) {
        writer.write(byte: Kind.horizon.rawValue)
        writer.write(varint: horizon)
    }
}

/// The epoch that a record of the log begins: its id, and the room's id in the first record of all.
struct EpochEntry {
    var room: RoomID?
    var epoch: EpochID

    /// Reads what stands behind a record's format; `nil` if the record begins no epoch.
    static func read(_ reader: inout ByteReader) throws(RoomError) -> EpochEntry? {
        guard let bytes = try? reader.readLengthDelimited() else {
            throw .malformed("a record of the log is cut short")
        }
        if bytes.isEmpty { return nil }
        let roomBytes = bytes.count - EpochID.byteCount
        guard roomBytes == 0 || roomBytes == RoomID.byteCount,
            let epoch = EpochID(bytes: UnsafeRawBufferPointer(rebasing: bytes[roomBytes...]))
        else { throw .malformed("a record of the log begins an epoch that can't be read") }
        let room = RoomID(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<roomBytes]))
        return EpochEntry(room: room, epoch: epoch)
    }

    static func write(_ entry: EpochEntry?, to writer: inout ByteWriter) {
        let mark = writer.beginLengthDelimited()
        if let entry {
            entry.room?.write(to: &writer)
            entry.epoch.write(to: &writer)
        }
        writer.endLengthDelimited(mark)
    }
}

extension ByteWriter {
    mutating func write(lengthAnd bytes: UnsafeRawBufferPointer) {
        write(varint: UInt64(bytes.count))
        write(contentsOf: bytes)
    }

    mutating func write(lengthAnd text: String) {
        var text = text
        text.withUTF8 { write(lengthAnd: UnsafeRawBufferPointer($0)) }
    }
}

/// The record of a tick, being written. Its buffer serves tick after tick.
struct RecordDraft: ~Copyable {
    /// How many transactions are in it. It is written only if there is one.
    private(set) var count = 0
    private(set) var isBegun = false
    /// When the first transaction came; `nil` if there is none, or nobody has said.
    private(set) var began: UInt64?
    private var firstRevision: Revision = 0
    private var writer = ByteWriter(capacity: 256)

    /// Begins the record, with the revision that its first commit will make.
    ///
    /// - Parameter epoch: what the record says of the room's identity, if anything.
    mutating func begin(firstRevision: Revision, epoch: EpochEntry?) {
        precondition(!isBegun, "a record is begun once")
        isBegun = true
        self.firstRevision = firstRevision
        writer.reset()
        writer.write(varint: LogEntry.format)
        EpochEntry.write(epoch, to: &writer)
    }

    /// Notes when what was entered came, unless that is known of what came before.
    mutating func note(time now: UInt64) {
        if count > 0, began == nil { began = now }
    }

    var byteCount: Int { count == 0 ? 0 : writer.count }

    /// Enters a transaction that was accepted, of an author that the log knows.
    @inline(__always)
    mutating func append(
        commitOf slot: UInt32, _ counter: UInt64, _ transaction: TransactionView
    ) {
        LogEntry.write(commitOf: slot, counter, to: &writer)
        append(transaction)
    }

    /// Enters a transaction that was accepted, and who made it.
    @inline(never)
    mutating func append(_ entry: LogEntry, _ transaction: TransactionView) {
        entry.writeHead(to: &writer)
        append(transaction)
    }

    @inline(__always)
    private mutating func append(_ transaction: TransactionView) {
        count += 1
        let mark = writer.beginLengthDelimited()
        transaction.write(to: &writer)
        writer.endLengthDelimited(mark)
    }

    /// Enters that the last transaction has an author evicted.
    mutating func append(evictionOf slot: UInt32) {
        LogEntry.write(evictionOf: slot, to: &writer)
    }

    /// - Parameter horizon: the horizon behind it.
    mutating func finish(
        sequence: UInt64, lastRevision: Revision, horizon: Revision, wallClockMilliseconds: UInt64
    ) -> LogRecord {
        defer {
            count = 0
            isBegun = false
            began = nil
        }
        LogEntry.write(horizon: horizon, to: &writer)
        return LogRecord(
            sequence: sequence, firstRevision: firstRevision, lastRevision: lastRevision,
            wallClockMilliseconds: wallClockMilliseconds, body: SharedBytes(copying: writer.bytes))
    }
}
