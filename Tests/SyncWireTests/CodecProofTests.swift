import Foundation
import ModelSupport
import SeededRandom
import SwiftProtobuf
import SyncBytes
import SyncModel
import SyncWire
import Testing

/// Our codec compared with swift-protobuf, byte for byte, in both directions, for every message.
@Suite("Codec against swift-protobuf")
struct CodecProofTests {
    private static let seeds: [UInt64] = [1, 2, 3, 4]
    private static let rounds = 200

    @Test("client messages have the same bytes and read the same", arguments: seeds)
    func clientMessages(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let decoder = MessageDecoder()
        for round in 0..<Self.rounds {
            for kind in ClientMessageKind.allCases {
                let message = try generator.clientMessage(kind)
                #expect(ClientMessageKind(message) == kind)
                let theirs = Collsync_V1_Frame(message)
                let bytes: [UInt8] = try theirs.serializedBytes()
                let here: Comment = "seed \(seed), round \(round), kind \(kind)"
                #expect(message.bytes() == bytes, here)
                #expect(try Collsync_V1_Frame(serializedBytes: message.bytes()) == theirs, here)
                #expect(
                    try bytes.withUnsafeBytes { try decoder.clientMessage($0) } == message, here)
            }
        }
    }

    @Test("an origin without ids is read, and matches no room", arguments: [0, 1, 8, 16, 17, 400])
    func originsOfNoIds(length: Int) throws {
        var origin = Collsync_V1_Origin()
        origin.room = Data(repeating: 7, count: length)
        if length != 16 { origin.epoch = Data(repeating: 7, count: length) }
        var frames = (0..<3).map { _ in Collsync_V1_Frame() }
        frames[0].join.request = 1
        frames[0].join.room = "room"
        frames[0].join.client = "client"
        frames[0].join.origin = origin
        frames[1].readHistory.request = 1
        frames[1].readHistory.room = "room"
        frames[1].readHistory.origin = origin
        var held = Collsync_V1_Held()
        held.room = 1
        held.origin = origin
        frames[2].heartbeat.rooms = [held]
        let nowhere = Origin(room: RoomID(high: 0, low: 0), epoch: EpochID(value: 0))
        let decoder = MessageDecoder()
        for frame in frames {
            let bytes: [UInt8] = try frame.serializedBytes()
            switch try bytes.withUnsafeBytes({ try decoder.clientMessage($0) }) {
            case .join(let join): #expect(join.origin == nowhere)
            case .readHistory(let read): #expect(read.origin == nowhere)
            case .heartbeat(let beat): #expect(beat.rooms.map(\.origin) == [nowhere])
            default: Issue.record("another message was read")
            }
        }
    }

    @Test("server messages have the same bytes and read the same", arguments: seeds)
    func serverMessages(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let decoder = MessageDecoder()
        for round in 0..<Self.rounds {
            for kind in ServerMessageKind.allCases {
                let message = try generator.serverMessage(kind)
                #expect(ServerMessageKind(message) == kind)
                let theirs = Collsync_V1_Frame(message)
                let bytes: [UInt8] = try theirs.serializedBytes()
                let here: Comment = "seed \(seed), round \(round), kind \(kind)"
                #expect(message.bytes() == bytes, here)
                #expect(try Collsync_V1_Frame(serializedBytes: message.bytes()) == theirs, here)
                #expect(
                    try bytes.withUnsafeBytes { try decoder.serverMessage($0) } == message, here)
            }
        }
    }

    @Test("operations, outcomes and transactions can be read back from the log's form")
    func logForms() throws {
        var generator = SplitMix64(seed: 5)
        for kind in OperationKind.allCases {
            #expect(OperationKind(try generator.operation(kind)) == kind)
        }
        for _ in 0..<500 {
            let transaction = try generator.transaction()
            let rejection = generator.rejection()
            let superseded = generator.superseded()
            var writer = ByteWriter()
            let packed = try PackedTransaction(transaction)
            packed.write(to: &writer)
            #expect(try PackedTransaction(parsing: writer.bytes) == packed)
            #expect(try ListTransaction(parsing: writer.bytes) == transaction)
            writer.reset()
            rejection.write(to: &writer)
            #expect(try Rejection(parsing: writer.bytes) == rejection)
            writer.reset()
            superseded.write(to: &writer)
            #expect(try Superseded(parsing: writer.bytes) == superseded)
        }
    }

    @Test("errors, rejections and reasons have the schema's numbers")
    func numbers() {
        let errors = Collsync_V1_ErrorCode.allCases.map { (UInt32($0.rawValue), "\($0)") }
        #expect(ErrorCode.allCases.map { "\($0.number) \($0)" } == errors.map { "\($0.0) \($0.1)" })
        let codes = Collsync_V1_RejectionCode.allCases.map { "\($0.rawValue) \($0)" }
        #expect(Rejection.Code.allCases.map { "\($0.rawValue) \($0)" } == codes)
        let reasons = Collsync_V1_SupersededReason.allCases
            .map { "\($0.rawValue) \($0)" }
        #expect(Superseded.Reason.allCases.map { "\($0.rawValue) \($0)" } == reasons)
    }
}

extension ClientMessage {
    /// The message `Frame`, without a length.
    func bytes() -> [UInt8] {
        var writer = ByteWriter()
        write(to: &writer)
        return writer.makeArray()
    }
}

extension ServerMessage {
    func bytes() -> [UInt8] {
        var writer = ByteWriter()
        write(to: &writer)
        return writer.makeArray()
    }
}
