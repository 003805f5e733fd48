import ModelSupport
import SeededRandom
import SyncModel
import SyncRoom
import SyncServer
import SyncStore
import Testing

/// What a restored room goes on with.
@Suite("Restored rooms")
struct RestoredRoomTests {
    private func finish(_ room: SecretRoom, isCopy: Bool) throws -> RestoredEnd {
        var random = SplitMix64(seed: 7)
        let rooms = RestoredRooms(wallClockMilliseconds: 5000) { random.next() }
        return try rooms.finish(room: roomName("room"), room.stored, isCopy: isCopy)
    }

    private func replay(_ room: SecretRoom) throws -> RoomState {
        let state = RoomState()
        for record in room.records { try state.apply(record) }
        return state
    }

    @Test("a room keeps its id, and its next record begins an epoch", arguments: [1, 2])
    func epoch(seed: UInt64) throws {
        let room = try SecretRoom(seed: seed, steps: 60)
        let state = try replay(room)
        let former = try #require(state.identity)
        guard case .record(let record) = try finish(room, isCopy: false) else {
            Issue.record("it ends with no record")
            return
        }
        #expect(record.lastRevision == room.records.last?.lastRevision)
        #expect(record.wallClockMilliseconds == 5000)
        try state.apply(record)
        let identity = try #require(state.identity)
        #expect(identity.id == former.id)
        #expect(identity.epochs.last?.id != former.epochs.last?.id)
        #expect(identity.epochs.last?.first == state.engine.revision)
        #expect(identity.epochs.dropLast().last == former.epochs.last)
    }

    @Test("a copy has an id and an epoch of its own, no authors and no past")
    func copy() throws {
        let room = try SecretRoom(seed: 3, steps: 60)
        let state = try replay(room)
        guard case .image(let image) = try finish(room, isCopy: true) else {
            Issue.record("it ends with no image")
            return
        }
        let copy = try image.body.withBytes { try RoomState(image: $0) }
        #expect(copy.engine.snapshot() == state.engine.snapshot())
        #expect(copy.engine.horizon == copy.engine.revision)
        #expect(copy.engine.authorCount == 0)
        let (own, other) = (try #require(copy.identity), try #require(state.identity))
        #expect(own.id != other.id && own.epochs.count == 1)
        #expect(!other.epochs.contains { $0.id == own.epochs[0].id })
    }
}
