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
///     epoch    = length [ [ room ] id ]     -- the room's id, 16 bytes, in the first record only
///     entry    = kind author counter horizon length content
///     author   = number [ length client length secret ]     -- when the number is a new one
///     content  = the message Transaction of a commit, or the message Rejection of a reject
///
/// with all numbers as varints. Its time is the record's. The horizon is the one in force before the
/// entry, since what a transaction means depends on what was forgotten by then.
struct LogEntry {
    static let format: UInt64 = 2

    enum Kind: UInt8 {
        case commit = 0
        case reject = 1
    }

    var kind: Kind
    var author: Ledger.Author
    /// Who the author is, with its first entry.
    var identity: (client: Identifier, secret: [UInt8])?
    var counter: UInt64
    var horizon: Revision

    /// Reads the next entry; its content is valid as long as the body is.
    ///
    /// - Parameter authorCount: how many authors are known before the entry.
    static func read(
        _ reader: inout ByteReader, authorCount: Int
    ) throws(RoomError) -> (entry: LogEntry, content: UnsafeRawBufferPointer) {
        do {
            guard let kind = Kind(rawValue: try reader.readByte()) else {
                throw RoomError.malformed("an entry of the log is of no known kind")
            }
            let author = try reader.readVarint()
            guard author <= UInt64(authorCount) else {
                throw RoomError.malformed("an entry of the log has no author")
            }
            var entry = LogEntry(
                kind: kind, author: Int(author), identity: nil, counter: 0, horizon: 0)
            if entry.author == authorCount {
                let client = try Identifier(bytes: try reader.readLengthDelimited())
                entry.identity = (client, [UInt8](try reader.readLengthDelimited()))
            }
            entry.counter = try reader.readVarint()
            entry.horizon = try reader.readVarint()
            return (entry, try reader.readLengthDelimited())
        } catch {
            throw error as? RoomError ?? .malformed("an entry of the log is cut short")
        }
    }

    /// Writes the entry but for its content.
    func writeHead(to writer: inout ByteWriter) {
        writer.write(byte: kind.rawValue)
        writer.write(varint: UInt64(author))
        if let identity {
            identity.client.withBytes { writer.write(lengthAnd: $0) }
            identity.secret.withUnsafeBytes { writer.write(lengthAnd: $0) }
        }
        writer.write(varint: counter)
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
