import ModelSupport
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

@Suite("A turn has a budget")
struct TurnTests {
    /// Sends many transactions in one piece.
    private func flood(
        _ client: RawClient, _ room: RoomHandle, _ counters: ClosedRange<UInt64>, named name: String
    ) throws {
        for counter in counters {
            client.submit(counter, in: room, base: 0, [.insert("\(name)-\(counter)")])
        }
    }

    @Test("however much comes at once, a turn takes no more than its steps", arguments: 1...6)
    func bounded(seed: UInt64) throws {
        let world = try World(seed: seed) {
            $0.turnSteps = 512
            $0.threads = 1
        }
        var strangers: [(client: RawClient, room: RoomHandle)] = []
        for number in 0..<8 { strangers.append(try world.join("s\(number)", "crowded")) }
        let (innocent, quiet) = try world.join("innocent", "quiet")
        for (number, stranger) in strangers.enumerated() {
            try flood(stranger.client, stranger.room, 1...1000, named: "s\(number)")
        }
        // The bytes have arrived, and the innocent client comes after all of them.
        world.run(forMilliseconds: 30)
        let before = try #require(world.server?.turns)
        innocent.submit(1, in: quiet, [.insert("mine")])
        #expect(world.run { innocent.answer(1, in: quiet) != nil })
        let after = try #require(world.server?.turns)
        #expect(after.fullTurns - before.fullTurns < 100, "took \(after) turns meanwhile")
        #expect(
            world.run {
                strangers.allSatisfy { $0.client.replicas[$0.room]?.answers.count == 1000 }
            })
        let turns = try #require(world.server?.turns)
        // A piece of work takes at most a quarter of a turn.
        #expect(turns.largestTurn <= 512 + 128, "a turn took \(turns.largestTurn) steps")
        for steps in turns.largestPhases { #expect(steps <= turns.largestTurn) }
        #expect(turns.fullTurns > 40, "work was left for later \(turns.fullTurns) times")
        let agree = world.run { strangers.allSatisfy { $0.client.revision($0.room) == 8000 } }
        #expect(agree)
    }

    @Test(
        "work that takes more than a turn goes to a worker, and others do not wait",
        arguments: 1...12)
    func lending(seed: UInt64) throws {
        let world = try World(seed: seed) {
            $0.turnSteps = 512
            $0.threads = Int(seed % 2) + 1
        }
        let (stranger, crowded) = try world.join("stranger", "crowded")
        let (neighbour, _) = try world.join("neighbour", "crowded")
        let (innocent, quiet) = try world.join("innocent", "quiet")
        for counter in 1...40 {
            let names = (0..<300).map { ListOperation.insert("s\(counter)-\($0)") }
            stranger.submit(UInt64(counter), in: crowded, base: 0, names)
            neighbour.submit(UInt64(counter), in: crowded, base: 0, [.insert("n\(counter)")])
        }
        // A late client joins meanwhile, leaves, and reads the room's state.
        let late = try world.join("late", "crowded").client
        late.send(.leave(Leave(request: 70, room: crowded)))
        late.send(.readSnapshot(ReadSnapshot(request: 71, room: try #require(RoomName("crowded")))))
        innocent.submit(1, in: quiet, [.insert("mine")])
        #expect(world.run(limitMilliseconds: 50) { innocent.answer(1, in: quiet) != nil })
        #expect(world.run { late.done.contains(70) && late.snapshots[71] != nil })
        #expect(world.run { stranger.revision(crowded) == 80 && neighbour.revision(crowded) == 80 })
        #expect(stranger.replicas[crowded]?.answers.map(\.counter) == Array(1...40))
        #expect(neighbour.replicas[crowded]?.answers.map(\.counter) == Array(1...40))
        #expect(stranger.items(crowded) == neighbour.items(crowded))
        #expect(stranger.items(crowded).count == 40 * 301)
        let turns = try #require(world.server?.turns)
        #expect(turns.largestTurn <= 512 + 128, "a turn took \(turns.largestTurn) steps")
        #expect(turns.loans >= 40)
        try world.crash()
        let (again, handle) = try world.join("again", "crowded")
        #expect(world.run { again.revision(handle) == 80 })
        #expect(again.items(handle) == stranger.items(crowded))
    }

    @Test("messages behind waiting transactions are done after them", arguments: 1...20)
    func inOrder(seed: UInt64) throws {
        let world = try World(seed: seed) {
            $0.turnSteps = 64
            $0.threads = Int(seed % 2) + 1
        }
        let (anna, room) = try world.join("anna")
        try flood(anna, room, 1...500, named: "a")
        anna.send(.leave(Leave(request: 90, room: room)))
        // The same client rejoins on the same connection and resends everything.
        let again = anna.join("room")
        #expect(world.run { anna.joined[again] != nil })
        let handle = try #require(anna.joined[again]?.handle)
        let answered = anna.replicas[handle]?.answers.count ?? 0
        try flood(anna, handle, 1...600, named: "a")
        #expect(world.run { (anna.replicas[handle]?.answers.count ?? 0) >= answered + 600 })
        let counters = anna.replicas[handle]?.answers.suffix(600).map(\.counter)
        #expect(counters == Array(1...600))
        #expect(world.run { anna.revision(handle) == 600 })
        #expect(anna.items(handle) == (1...600).map { "a-\($0)" })
    }

    @Test("a slow turn is logged, with its work")
    func watchdog() throws {
        let world = try World { $0.slowMilliseconds = 50 }
        let (anna, room) = try world.join("anna", "large")
        #expect(world.log.count(of: "a loop was held") == 0)
        world.simulation.conditions.clockReadMicroseconds = 60_000
        anna.submit(1, in: room, [.insert("a")])
        #expect(world.run { anna.answer(1, in: room) != nil })
        world.simulation.conditions.clockReadMicroseconds = 0
        let lines = world.log.lines.filter { $0.contains("a loop was held") }
        // To read it and to apply it take as long here, and the first of them is named.
        #expect(lines.contains { $0.contains("large") && $0.contains("submit") }, "\(lines)")
        #expect(world.server?.turns.holds == lines.count)
    }

    @Test("a slow turn is not blamed on the room that was busy before")
    func watchdogNamesTheMessage() throws {
        let world = try World {
            $0.slowMilliseconds = 50
            $0.threads = 1
        }
        let (anna, room) = try world.join("anna", "busy")
        anna.submit(1, in: room, [.insert("a")])
        #expect(world.run { anna.answer(1, in: room) != nil })
        world.run(forMilliseconds: 1000)
        world.simulation.conditions.clockReadMicroseconds = 60_000
        anna.send(.listRooms(ListRooms(request: 77)))
        world.run(forMilliseconds: 200)
        world.simulation.conditions.clockReadMicroseconds = 0
        let lines = world.log.lines.filter {
            $0.contains("a loop was held") && $0.contains("reading")
        }
        #expect(lines.contains { $0.contains("listRooms") && !$0.contains("busy") }, "\(lines)")
    }

    @Test("a stall of the server does not count as silence of its clients", arguments: 1...10)
    func stall(seed: UInt64) throws {
        let world = try World(seed: seed) {
            $0.connections.heartbeatMilliseconds = 6000
            $0.threads = 1
        }
        let (anna, room) = try world.join("anna")
        for _ in 0..<5 {
            world.platform?.stall(forMilliseconds: 60_000)
            world.run(forMilliseconds: 61_000)
        }
        #expect(!anna.isClosed)
        anna.submit(1, in: room, [.insert("a")])
        #expect(world.run { anna.answer(1, in: room) != nil })
        // A client that is silent while the server listens is still closed.
        anna.isAlive = false
        world.run(forMilliseconds: 30_000)
        #expect(anna.isClosed)
    }
}
