import ModelSupport
import SeededRandom
import SyncModel
import SyncSim
import SyncWire
import Testing

@Suite("Members")
struct MemberTests {
    @Test("the first join creates a room, and edits reach everyone")
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

    @Test("transactions for two rooms, with other messages in between, reach their rooms")
    func manyRooms() throws {
        let world = try World()
        let (anna, first) = try world.join("anna")
        let request = anna.join("elsewhere")
        #expect(world.run { anna.joined[request] != nil && anna.revision(first) == 0 })
        let second = try #require(anna.joined[request]?.handle)
        var random = SplitMix64(seed: 1)
        var expected: [RoomHandle: [String]] = [first: [], second: []]
        for number in 1...400 {
            let room = Int.random(in: 0..<4, using: &random) == 0 ? second : first
            let item = "i\(number)"
            expected[room]?.append(item)
            let counter = UInt64(expected[room]?.count ?? 0)
            anna.submit(counter, in: room, base: 0, [.insert(item)])
            if Int.random(in: 0..<9, using: &random) == 0 { anna.send(.heartbeat(Heartbeat())) }
        }
        #expect(
            world.run {
                expected.allSatisfy { anna.replicas[$0]?.answers.count == $1.count }
                    && expected.allSatisfy { anna.items($0) == $1 }
            })
        for (room, items) in expected {
            #expect(anna.items(room) == items)
            let counters = (1...items.count).map { UInt64($0) }
            #expect(anna.replicas[room]?.answers.map(\.counter) == counters)
        }
    }

    @Test("a transaction right behind a leave is refused, and those before it stay")
    func leaveBetweenTransactions() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        let (bert, _) = try world.join("bert")
        #expect(world.run { anna.revision(room) == 0 && bert.revision(room) == 0 })
        for counter in 1...40 as ClosedRange<UInt64> {
            if counter == 31 { anna.send(.leave(Leave(request: anna.makeRequest(), room: room))) }
            anna.submit(counter, in: room, base: 0, [.insert("i\(counter)")])
        }
        #expect(
            world.run {
                anna.errors[.transaction(40, in: room)] != nil && bert.revision(room) == 30
            })
        #expect(anna.errors[.transaction(31, in: room)]?.code == .unknownRoom)
        #expect(bert.items(room) == (1...30).map { "i\($0)" })
    }
}
