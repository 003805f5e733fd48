import SyncBytes
import SyncModel
import SyncWire

/// The head of a commit's entry in a record: author and counter. The transaction's bytes follow it.
///
/// A record's body is its format, the epoch that it begins or nothing, and then its entries:
///
///     epoch   = length [ [ room ] id ]     -- the room's id, 16 bytes, in the first record only
///     entry   = kind author counter length transaction
///             | kind slot                                        -- an eviction
///             | kind horizon
///     author  = slot [ length client secret forgottenThrough ] [ length user ]
///               -- what is in brackets depends on the kind
///
/// All numbers are varints. A secret is its hash of 16 bytes. A record has accepted transactions
/// only, and the evictions that they caused, as the policy for evictions may change. A commit names
/// its user if that is another one than at the author's commit before: one client may serve several
/// users. A commit that has seen nothing has a kind of its own, and the base 0. A record's time is
/// the time of all its entries. Its last entry is the horizon for the next record, as the effect of
/// a transaction depends on the horizon.
struct LogEntry {
    static let format: UInt64 = 4

    enum Kind: UInt8 {
        case commit = 0
        /// A commit of an author that has none before.
        case firstCommit = 1
        case horizon = 2
        case eviction = 3
        /// A commit by another user than the author's commit before.
        case commitOfUser = 4
        case firstCommitOfUser = 5
        // The same four of transactions that have seen nothing.
        case blindCommit = 8
        case firstBlindCommit = 9
        case blindCommitOfUser = 12
        case firstBlindCommitOfUser = 13

        init(isFirst: Bool, hasUser: Bool, hasSeenNothing: Bool) {
            switch (isFirst, hasUser) {
            case (false, false): self = hasSeenNothing ? .blindCommit : .commit
            case (true, false): self = hasSeenNothing ? .firstBlindCommit : .firstCommit
            case (false, true): self = hasSeenNothing ? .blindCommitOfUser : .commitOfUser
            case (true, true):
                self = hasSeenNothing ? .firstBlindCommitOfUser : .firstCommitOfUser
            }
        }

        /// Whether its author is introduced.
        var isFirst: Bool {
            switch self {
            case .firstCommit, .firstCommitOfUser, .firstBlindCommit, .firstBlindCommitOfUser: true
            case .commit, .commitOfUser, .blindCommit, .blindCommitOfUser, .horizon, .eviction:
                false
            }
        }

        /// Whether it names a user.
        var hasUser: Bool {
            switch self {
            case .commitOfUser, .firstCommitOfUser, .blindCommitOfUser, .firstBlindCommitOfUser:
                true
            case .commit, .firstCommit, .blindCommit, .firstBlindCommit, .horizon, .eviction: false
            }
        }

        /// See ``ListTransaction/hasSeenNothing``.
        var hasSeenNothing: Bool {
            switch self {
            case .blindCommit, .firstBlindCommit, .blindCommitOfUser, .firstBlindCommitOfUser: true
            case .commit, .firstCommit, .commitOfUser, .firstCommitOfUser, .horizon, .eviction:
                false
            }
        }
    }

    /// What the log says of a new author. If it was evicted before, it may have forgotten commits
    /// up to a counter.
    struct Introduction {
        var client: Identifier
        var secret: SecretHash
        var forgottenThrough: UInt64
    }

    var slot: UInt32
    /// Present in the author's first entry.
    var introduction: Introduction?
    /// The user who has signed in, empty if nobody has; `nil` if that is as at the commit before.
    var user: UserName?
    var counter: UInt64
    /// See ``ListTransaction/hasSeenNothing``.
    var hasSeenNothing = false

    /// The next entry. A transaction's bytes are valid as long as the body is.
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
            var entry = LogEntry(slot: slot, counter: 0, hasSeenNothing: kind.hasSeenNothing)
            if kind.isFirst {
                let client = try Identifier(bytes: try reader.readLengthDelimited())
                let bytes = try reader.readBytes(SecretHash.byteCount)
                guard let secret = SecretHash(bytes: bytes) else {
                    throw RoomError.malformed("a secret's hash in the log can't be read")
                }
                entry.introduction = Introduction(
                    client: client, secret: secret, forgottenThrough: try reader.readVarint())
            }
            if kind.hasUser {
                guard let user = UserName(bytes: try reader.readLengthDelimited()) else {
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

    /// Writes the entry without its transaction.
    func writeHead(to writer: inout ByteWriter) {
        let kind = Kind(
            isFirst: introduction != nil, hasUser: user != nil, hasSeenNothing: hasSeenNothing)
        writer.write(byte: kind.rawValue)
        writer.write(varint: UInt64(slot))
        if let introduction {
            introduction.client.withBytes { writer.write(lengthAnd: $0) }
            introduction.secret.write(to: &writer)
            writer.write(varint: introduction.forgottenThrough)
        }
        if let user { writer.write(lengthAnd: user.text) }
        writer.write(varint: counter)
    }

    /// Writes the head of a usual commit's entry, with neither an introduction nor a user.
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

    /// Reads the part after a record's format; `nil` if the record begins no epoch.
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
        text.withBytes { write(lengthAnd: $0) }
    }
}

/// The record of a tick while it is being written. All ticks use the same buffer.
struct RecordDraft: ~Copyable {
    /// How many transactions are in it. Without one there is no record.
    private(set) var count = 0
    private(set) var isBegun = false
    /// When the first transaction came; `nil` if there is none, or that is not known.
    private(set) var firstArrival: UInt64?
    private var firstRevision: Revision = 0
    private var writer = ByteWriter(capacity: 256)

    /// Begins the record.
    ///
    /// - Parameters:
    ///   - firstRevision: the revision that its first commit will make.
    ///   - epoch: the epoch that the record begins, if any.
    mutating func begin(firstRevision: Revision, epoch: EpochEntry?) {
        precondition(!isBegun, "a record is begun once")
        isBegun = true
        self.firstRevision = firstRevision
        writer.reset()
        writer.write(varint: LogEntry.format)
        EpochEntry.write(epoch, to: &writer)
    }

    /// Records the time at which the transactions so far came, unless the time of the first one is
    /// known.
    mutating func note(time now: UInt64) {
        if count > 0, firstArrival == nil { firstArrival = now }
    }

    var byteCount: Int { count == 0 ? 0 : writer.count }

    /// Adds an accepted transaction, of an author and a user that the log knows.
    @inline(__always)
    mutating func append(
        commitOf slot: UInt32, _ counter: UInt64, _ transaction: TransactionView
    ) {
        LogEntry.write(commitOf: slot, counter, to: &writer)
        append(transaction)
    }

    /// Adds an accepted transaction, with its author or user.
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

    /// Adds the eviction of an author, which the last transaction has caused.
    mutating func append(evictionOf slot: UInt32) {
        LogEntry.write(evictionOf: slot, to: &writer)
    }

    /// - Parameter horizon: the horizon after this record.
    mutating func finish(
        sequence: UInt64, lastRevision: Revision, horizon: Revision, wallClockMilliseconds: UInt64
    ) -> LogRecord {
        defer {
            count = 0
            isBegun = false
            firstArrival = nil
        }
        LogEntry.write(horizon: horizon, to: &writer)
        return LogRecord(
            sequence: sequence, firstRevision: firstRevision, lastRevision: lastRevision,
            wallClockMilliseconds: wallClockMilliseconds, body: SharedBytes(copying: writer.bytes))
    }
}
