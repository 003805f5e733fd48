import ModelSupport
import RoomSupport
import SyncBytes
import SyncEngine
import SyncModel
import SyncRoom
import SyncServer
import SyncStore
import Testing

@Suite("Verifier of rooms")
struct RoomVerifierTests {
    @Test("it passes what a room wrote, and finds what it did not write")
    func verifier() throws {
        var records: [LogRecord] = []
        var snapshot: StoredSnapshot?
        let room = try Room.played(seed: 29, steps: 300) { room, record in
            records.append(
                LogRecord(
                    sequence: record.sequence, firstRevision: record.firstRevision,
                    lastRevision: record.lastRevision,
                    wallClockMilliseconds: record.wallClockMilliseconds, body: record.body))
            guard record.sequence == 20 else { return }
            snapshot = StoredSnapshot(
                sequence: 20, revision: room.durableRevision, trustedMilliseconds: 1,
                body: room.state.encodeImage())
        }
        try #require(records.count > 21)
        let right = try #require(snapshot)
        let verifier = RoomVerifier()
        #expect(verifier.begin(room: roomName("room"), at: nil) == nil)
        for record in records.prefix(20) { #expect(verifier.apply(record) == nil) }
        #expect(verifier.compare(with: right) == nil)

        // A room with other content, and a room with the same content and another history.
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

        // A missing record, and a truncated one.
        #expect(verifier.begin(room: roomName("room"), at: right) == nil)
        #expect(verifier.apply(records[21]) != nil)
        #expect(verifier.begin(room: roomName("room"), at: right) == nil)
        var cut = records[20]
        cut.body = SharedBytes(cut.body.array.dropLast())
        #expect(verifier.apply(cut) != nil)
        _ = room

        // A room of which only the size is wrong.
        let frugal = RoomVerifier(atMost: 1)
        #expect(frugal.begin(room: roomName("room"), at: right)?.isTooLarge == true)
        #expect(frugal.begin(room: roomName("room"), at: nil) == nil)
        #expect(frugal.apply(records[0])?.isTooLarge == true)
        #expect(verifier.compare(with: wrong)?.isTooLarge == false)
    }
}
