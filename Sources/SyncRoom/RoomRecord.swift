package import SyncBytes
package import SyncEngine
import SyncWire

/// What a room commits in one tick, as its log keeps it.
package struct RoomRecord: Sendable {
    package var sequence: UInt64
    /// The first revision in it; the one after the record before, if there is none in this one.
    package var firstRevision: Revision
    /// The last revision in it, or `firstRevision - 1`.
    package var lastRevision: Revision
    /// When its entries were made, in milliseconds since 1970.
    package var wallClockMilliseconds: UInt64
    package var body: SharedBytes

    package init(
        sequence: UInt64, firstRevision: Revision, lastRevision: Revision,
        wallClockMilliseconds: UInt64, body: SharedBytes
    ) {
        self.sequence = sequence
        self.firstRevision = firstRevision
        self.lastRevision = lastRevision
        self.wallClockMilliseconds = wallClockMilliseconds
        self.body = body
    }
}

/// One transaction in a record: who made it, and what it was.
///
/// A record's body is its format, then whether it begins an epoch, and then entry after entry:
///
///     epoch   = length [ [ room ] id ]     -- the room's id, 16 bytes, in the first record only
///     entry   = kind author counter length transaction
///             | kind horizon
///     author  = number [ length client secret ]     -- when the kind says that it is a new one
///
/// with all numbers as varints; a secret is its hash of 16 bytes. Only what was accepted is there. A
/// record's time is that of all its entries. Its last entry is the horizon from then on, since what a
/// transaction means depends on what was forgotten by then.
struct LogEntry {
    static let format: UInt64 = 3

    enum Kind: UInt8 {
        case commit = 0
        /// A commit of an author that has none before.
        case firstCommit = 1
        case horizon = 2
    }

    var author: Ledger.Author
    /// Who the author is, with its first entry.
    var identity: (client: Identifier, secret: SecretHash)?
    var counter: UInt64

    /// What the next entry says; a transaction's bytes are valid as long as the body is.
    enum Reading {
        case commit(LogEntry, UnsafeRawBufferPointer)
        case horizon(Revision)
    }

    /// Reads the next entry.
    static func read(_ reader: inout ByteReader) throws(RoomError) -> Reading {
        do {
            guard let kind = Kind(rawValue: try reader.readByte()) else {
                throw RoomError.malformed("an entry of the log is of no known kind")
            }
            if kind == .horizon { return .horizon(try reader.readVarint()) }
            guard let author = Ledger.Author(exactly: try reader.readVarint()) else {
                throw RoomError.malformed("an entry of the log has no author")
            }
            var entry = LogEntry(author: author, identity: nil, counter: 0)
            if kind == .firstCommit {
                let client = try Identifier(bytes: try reader.readLengthDelimited())
                let bytes = try reader.readBytes(SecretHash.byteCount)
                guard let secret = SecretHash(bytes: bytes) else {
                    throw RoomError.malformed("a secret's hash in the log can't be read")
                }
                entry.identity = (client, secret)
            }
            entry.counter = try reader.readVarint()
            return .commit(entry, try reader.readLengthDelimited())
        } catch {
            throw error as? RoomError ?? .malformed("an entry of the log is cut short")
        }
    }

    /// Writes the entry but for its transaction.
    func writeHead(to writer: inout ByteWriter) {
        writer.write(byte: (identity == nil ? Kind.commit : .firstCommit).rawValue)
        writer.write(varint: UInt64(author))
        if let identity {
            identity.client.withBytes { writer.write(lengthAnd: $0) }
            identity.secret.write(to: &writer)
        }
        writer.write(varint: counter)
    }

    static func write(horizon: Revision, to writer: inout ByteWriter) {
        writer.write(byte: Kind.horizon.rawValue)
        writer.write(varint: horizon)
    }
}

extension EpochEntry {
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
}
