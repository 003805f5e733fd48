import SyncModel

@testable import SyncStore

/// Writes a backup into memory.
func backUp(
    _ directory: String, rooms: [RoomName]? = nil, maximumLogBytes: UInt64 = .max,
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
