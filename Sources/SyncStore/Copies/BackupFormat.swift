import SyncAccess
import SyncBytes
import SyncModel

/// The stream that `collsync backup` writes and `collsync restore` reads.
///
/// It has each room as the store has it: its entry, its snapshots in their compressed parts, and
/// its log. A stream that was cut, or in which anything was changed, left out or moved, is
/// recognized: each piece has its length and a checksum that includes the one of the piece before,
/// and the last piece counts them all.
///
///     stream   = "csbackup" header revocations? room* end
///     room     = entry (snapshot part*)* record*
///
///     piece    = kind length checksum body  -- 1, 8 and 4 bytes
///     checksum = the CRC-32 of the checksum before (0 at first), kind, length and body
///
///     header   = version time
///     revocations = lines, each with its end
///     entry    = created changed firstSequence lastSequence lastRevision logBytes snapshotBytes
///                snapshots name
///     snapshot = sequence revision time size storedBytes checksum
///     part     = a megabyte of the snapshot's body, in zlib's format
///     record   = sequence firstRevision lastRevision time body
///     end      = rooms snapshots parts records
///
/// Numbers have 8 bytes, little-endian. Times are in milliseconds since 1970. A snapshot's checksum
/// is the CRC-32 of its whole body. Snapshots and records are in the order of their sequences, and
/// records are without gaps. Each room comes once; the order of rooms means nothing.
///
/// The version is 2 with revocations, and 1 without. So an earlier program refuses a copy whose
/// revocations it would lose, and reads all others. The lines are those of the file with
/// revocations (`RevocationText`) that say something, and none says what those before it say.
enum BackupFormat {
    static let mark: StaticString = "csbackup"
    static let markBytes = 8
    static let version: UInt64 = 1
    static let versionWithRevocations: UInt64 = 2
    static let headBytes = 13

    enum Kind: UInt8 {
        case header = 1
        case entry = 2
        case snapshot = 3
        case part = 4
        case record = 5
        case end = 6
        case revocations = 7

        /// How many numbers are at the start of its body.
        var numberCount: Int {
            switch self {
            case .header: 2
            case .entry: 8
            case .snapshot: 6
            case .part, .revocations: 0
            case .record: 4
            case .end: 4
            }
        }

        /// How many bytes may follow the numbers.
        var mostBytes: Int {
            switch self {
            case .header, .snapshot, .end: 0
            case .entry: Identifier.maximumLength
            // A little more than zlib needs for what it can't compress.
            case .part: SQLiteStorage.partBytes + SQLiteStorage.partBytes / 64
            case .record: LogState.maximumBodyBytes
            case .revocations: RevocationText.maximumBytes
            }
        }
    }

    /// The checksum of a piece's head, which its body continues.
    static func checksum(after former: UInt32, _ kind: Kind, length: UInt64) -> UInt32 {
        var head = ByteWriter(capacity: 16)
        head.write(fixed32: former)
        head.write(byte: kind.rawValue)
        head.write(fixed64: length)
        return Checksum.extend(0, with: head.bytes)
    }
}

/// How many pieces a backup has.
package struct BackupCounts: Sendable, Equatable {
    package var rooms: UInt64 = 0
    package var snapshots: UInt64 = 0
    package var parts: UInt64 = 0
    package var records: UInt64 = 0
    /// The lines of the piece with revocations.
    package var revocations: UInt64 = 0
}
