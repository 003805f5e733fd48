import ModelSupport
import RoomSupport
import SyncModel
import SyncRoom
import Testing

@testable import SyncEngine

@Suite struct DurableHorizonTests {
    /// What was shown of the room last, and is to be shown next, is what is on disk.
    @Test("a room forgets nothing that is not on disk, though nobody may need it")
    func horizon() throws {
        var policy = RoomPolicy()
        policy.horizon = 0
        let room = Room(RoomState(), opening: .test, handle: 1, policy: policy)
        let writer = ConnectionID(value: 1)
        _ = try room.settled.join(Admission(member: writer, client: id("w"), viewOnly: true))
        var sequences: [UInt64] = []
        for counter in 1...6 as ClosedRange<UInt64> {
            let transaction = ListTransaction(base: 0, operations: [.insert("i\(counter)")])
            _ = room.receive(try PackedTransaction(transaction), counter: counter, from: writer)
            sequences.append(try #require(room.endTurn(wallClockMilliseconds: 0)).sequence)
            if counter > 2 { room.appended(through: sequences.removeFirst()) }
            #expect(room.state.engine.horizon <= room.durableRevision)
            #expect(room.state.engine.window(at: room.durableRevision) != nil)
        }
        #expect(room.state.engine.horizon > 0)
    }
}
