import SyncBytes
import SyncClient
import SyncModel
import SyncWire

/// Follows a room by what a stream says of it, as a client does.
struct GoldenReplica {
    private(set) var replica = Replica()
    private let encoder = MessageEncoder()

    /// Loads the room from the frames that a member gets.
    mutating func load(_ frame: [UInt8]) throws {
        guard case .snapshot(let part) = try message(in: frame) else {
            throw GoldenError.noSnapshot
        }
        var assembler = SnapshotAssembler()
        guard let snapshot = try assembler.add(part) else { throw GoldenError.noSnapshot }
        replica.load(snapshot)
    }

    /// Applies a batch and returns it, with the frame that it is written as.
    mutating func apply(_ frame: [UInt8]) throws -> (batch: Batch, written: [UInt8]) {
        guard case .batch(let part) = try message(in: frame) else { throw GoldenError.noBatch }
        var assembler = BatchAssembler()
        guard let batch = try assembler.add(part) else { throw GoldenError.noBatch }
        try replica.apply(batch)
        return (batch, encoder.encode(.batch(part)).plain.array)
    }

    /// The room, as the frames that a member would get.
    var snapshot: [UInt8] {
        guard let snapshot = replica.snapshot else { return [] }
        return encoder.encode(snapshot, on: .room(GoldenRoom.handle)).flatMap(\.plain.array)
    }

    private func message(in frame: [UInt8]) throws -> ServerMessage {
        try frame.withFrame { body throws(WireError) in try MessageDecoder().serverMessage(body) }
    }
}
