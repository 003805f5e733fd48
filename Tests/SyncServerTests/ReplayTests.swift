import EngineTwin
import SeededRandom
import SyncBytes
import SyncEngine
import SyncModel
import SyncRoom
import SyncServer
import SyncStore
import Testing

@Suite("Replay")
struct ReplayTests {
    /// Plays a random history into a room, a few transactions a tick.
    private func play(
        seed: UInt64, steps: Int, _ endOfTick: (Room, LogRecord) -> Void
    ) throws -> Room {
        var policy = RoomPolicy()
        policy.horizon = seed % 30 + 1
        policy.maximumHorizon = policy.horizon * 2
        let room = Room(RoomState(), opening: .test, handle: 1, policy: policy)
        var generator = HistoryGenerator(seed: seed)
        let twin = Twin()
        var members: [Identifier: ConnectionID] = [:]
        var counters: [Identifier: UInt64] = [:]
        for step in 0..<steps {
            guard case .submit(let transaction, let author) = generator.next(twin) else { continue }
            _ = try? twin.submit(transaction, by: author)
            if members[author] == nil {
                let member = ConnectionID(value: UInt64(members.count))
                members[author] = member
                _ = try room.settled.join(Admission(member: member, client: author, secret: [7]))
            }
            let member = try #require(members[author])
            counters[author, default: 0] += 1
            _ = room.receive(
                try PackedTransaction(transaction), counter: counters[author] ?? 0, from: member)
            guard step % 3 == 0, let record = room.endTurn(wallClockMilliseconds: UInt64(step))
            else { continue }
            room.appended(through: record.sequence)
            endOfTick(room, record)
        }
        return room
    }

    @Test(
        "a room replayed from its log, or from a snapshot on, is the same to the last byte",
        arguments: 1...24)
    func replay(seed: UInt64) throws {
        var records: [LogRecord] = []
        var images: [UInt64: SharedBytes] = [:]
        let room = try play(seed: seed, steps: 250) { room, record in
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

    @Test("the verifier passes what a room wrote, and finds what it did not write")
    func verifier() throws {
        var records: [LogRecord] = []
        var snapshot: StoredSnapshot?
        let room = try play(seed: 3, steps: 300) { room, record in
            records.append(
                LogRecord(
                    sequence: record.sequence, firstRevision: record.firstRevision,
                    lastRevision: record.lastRevision,
                    wallClockMilliseconds: record.wallClockMilliseconds, body: record.body))
            guard record.sequence == 20 else { return }
            snapshot = StoredSnapshot(
                sequence: 20, revision: room.durableRevision, wallClockMilliseconds: 1,
                body: room.state.encodeImage())
        }
        let right = try #require(snapshot)
        let verifier = RoomVerifier()
        #expect(verifier.begin(room: "room", at: nil) == nil)
        for record in records.prefix(20) { #expect(verifier.apply(record) == nil) }
        #expect(verifier.compare(with: right) == nil)

        // A room with other content, and one with the same content and another memory.
        let other = RoomState()
        var wrong = right
        wrong.body = other.encodeImage()
        #expect(verifier.compare(with: wrong) != nil)
        let forgetful = try right.body.withBytes { try RoomState(image: $0) }
        forgetful.engine.advanceHorizon(to: forgetful.engine.revision)
        wrong.body = forgetful.encodeImage()
        #expect(verifier.compare(with: wrong) != nil)
        wrong.body = SharedBytes([9, 9, 9])
        #expect(verifier.compare(with: wrong) != nil)

        // A record left out, and one that is cut short.
        #expect(verifier.begin(room: "room", at: right) == nil)
        #expect(verifier.apply(records[21]) != nil)
        #expect(verifier.begin(room: "room", at: right) == nil)
        var cut = records[20]
        cut.body = SharedBytes(cut.body.array.dropLast())
        #expect(verifier.apply(cut) != nil)
        _ = room
    }

    @Test("bytes that are no image or record are an error, whatever they are")
    func mutations() throws {
        var last: LogRecord?
        let room = try play(seed: 5, steps: 120) { _, record in last = record }
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
