import RoomSupport
import SeededRandom
import SyncBytes
import SyncEngine
import SyncModel
import SyncRoom
import Testing

@Suite("Replay")
struct ReplayTests {
    @Test(
        "a room replayed from its log, or from an image and the rest, has the same bytes",
        arguments: 1...24)
    func replay(seed: UInt64) throws {
        var records: [LogRecord] = []
        var images: [UInt64: SharedBytes] = [:]
        let room = try Room.played(seed: seed, steps: 250) { room, record in
            records.append(record)
            if record.sequence % 7 == 0 { images[record.sequence] = room.state.encodeImage() }
        }
        room.state.engine.checkInvariants()
        var states = [RoomState()]
        for record in records {
            for state in states { try state.apply(record) }
            guard let image = images[record.sequence] else { continue }
            for (index, state) in states.enumerated() {
                #expect(
                    state.encodeImage() == image,
                    "seed \(seed), record \(record.sequence), state \(index)")
            }
            states.append(try image.withBytes { try RoomState(image: $0) })
            if states.count > 4 { states.remove(at: 1) }
        }
        #expect(states[0].engine.snapshot(at: room.durableRevision) != nil)
    }

    @Test("any bytes that are no image or record are an error")
    func mutations() throws {
        var last: LogRecord?
        let room = try Room.played(seed: 5, steps: 120) { _, record in last = record }
        let image = room.state.encodeImage().array
        let record = try #require(last)
        var random = SplitMix64(seed: 11)
        for _ in 0..<3000 {
            var bytes = image
            for _ in 0..<(1 + random.below(3)) {
                bytes[random.below(bytes.count)] = UInt8(random.below(256))
            }
            if random.below(4) == 0 { bytes.removeLast(random.below(bytes.count)) }
            _ = try? bytes.withUnsafeBytes { try RoomState(image: $0) }
        }
        let before = RoomState()
        var body = record.body.array
        for _ in 0..<3000 {
            body[random.below(body.count)] = UInt8(random.below(256))
            var mutated = record
            mutated.sequence = before.sequence + 1
            mutated.firstRevision = before.engine.revision + 1
            mutated.body = SharedBytes(body)
            try? before.apply(mutated)
        }
    }
}
