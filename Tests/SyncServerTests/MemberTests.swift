import SyncEngine
import SyncWire
import Testing

@Suite("Members")
struct MemberTests {
    @Test("a room is made by the first join, and edits reach everyone")
    func editsReachEveryone() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        let (bert, _) = try world.join("bert")
        #expect(world.run { anna.revision(room) == 0 && bert.revision(room) == 0 })
        anna.submit(1, in: room, [.insert("a")])
        bert.submit(1, in: room, [.insert("b")])
        #expect(world.run { anna.revision(room) == 2 && bert.revision(room) == 2 })
        #expect(anna.replicas[room]?.snapshot == bert.replicas[room]?.snapshot)
        #expect(Set(anna.items(room)) == ["a", "b"])
        guard case .ack = anna.answer(1, in: room), case .ack = bert.answer(1, in: room) else {
            Issue.record("no ack")
            return
        }
    }

    @Test("pipelined transactions are answered in order")
    func pipelining() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        for counter in 1...500 {
            anna.submit(UInt64(counter), in: room, base: 0, [.insert("i\(counter)")])
        }
        #expect(world.run { anna.revision(room) == 500 })
        #expect(anna.replicas[room]?.answers.map(\.counter) == Array(1...500))
        #expect(anna.items(room) == (1...500).map { "i\($0)" })
    }
}
