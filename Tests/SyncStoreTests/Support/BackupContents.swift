import SyncBytes
import SyncModel

@testable import SyncStore

/// What a backup has, read by the reader that `restore` uses.
struct BackupContents: Equatable {
    struct Room: Equatable {
        var state: LogState
        var headers: [SnapshotHeader] = []
        var parts: [[UInt8]] = []
        var records: [LogRecord] = []
    }

    var rooms: [Room] = []
    /// Their lines.
    var revocations: [UInt8] = []

    /// - Parameter step: how many bytes the source gives at a time.
    init(_ bytes: [UInt8], step: Int = .max) throws(StoreError) {
        var offset = 0
        var reader = BackupReader { memory in
            let count = min(memory.count, bytes.count - offset, step)
            memory.copyBytes(from: bytes[offset..<(offset + count)])
            offset += count
            return count
        }
        var rooms: [Room] = []
        var revocations: [UInt8] = []
        var goesOn = true
        while goesOn {
            goesOn = try reader.next { piece in
                let last = rooms.count - 1
                switch piece {
                case .revocations(let lines): revocations = lines
                case .room(let state): rooms.append(Room(state: state))
                case .snapshot(let header): rooms[last].headers.append(header)
                case .part(let bytes): rooms[last].parts.append(Array(bytes))
                case .record(let record): rooms[last].records.append(record)
                }
            }
        }
        self.rooms = rooms
        self.revocations = revocations
    }
}

/// Writes a backup into memory.
func backUp(
    _ directory: String, rooms: [String]? = nil, maximumLogBytes: UInt64 = .max,
    whileWriting step: () throws -> Void = {}
) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try withoutActuallyEscaping(step) { step in
        _ = try StoreBackup.write(
            directory: directory, rooms: rooms, maximumLogBytes: maximumLogBytes,
            timeMilliseconds: 7
        ) { block throws(StoreError) in
            bytes += block
            do { try step() } catch { throw .io("\(error)") }
        }
    }
    return bytes
}
