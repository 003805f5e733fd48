import ModelSupport
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

/// All work of a loop is charged to its turns, so no flood of any kind makes a turn longer.
@Suite("All work is charged to a turn")
struct TurnWorkTests {
    private static let turnSteps = 512
    /// A turn may end with a piece of work that takes a quarter of it.
    private static let bound = turnSteps * 5 / 4

    private func makeWorld(_ seed: UInt64 = 1) throws -> World {
        try World(seed: seed) {
            $0.turnSteps = TurnWorkTests.turnSteps
            $0.threads = 1
        }
    }

    private func expectShortTurns(_ world: World) throws {
        let turns = try #require(world.server?.turns)
        let bound = TurnWorkTests.bound
        #expect(turns.largestTurn <= bound, "a turn took \(turns.largestTurn) steps of \(bound)")
        for (phase, steps) in zip(TurnPhase.allCases, turns.largestPhases) {
            #expect(steps > 0 && steps <= turns.largestTurn, "\(phase) took \(steps)")
        }
    }

    /// Many clients read the room again and again. An innocent client is answered in between, and
    /// all answers stay in order.
    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func answersOfManyReads(seed: UInt64) throws {
        let world = try makeWorld(seed)
        let (editor, room) = try world.join("editor", "large")
        for counter in 1...6 as ClosedRange<UInt64> {
            editor.submit(
                counter, in: room, base: 0, (0..<30).map { .insert("some-item-\(counter)-\($0)") })
        }
        #expect(world.run { editor.revision(room) == 6 })
        let (innocent, quiet) = try world.join("innocent", "quiet")
        let name = try #require(RoomName("large"))
        let readers = try (0..<12).map { try world.greet("reader \($0)") }
        for reader in readers {
            for request in 100..<140 as Range<RequestID> {
                reader.send(.readSnapshot(ReadSnapshot(request: request, room: name)))
            }
        }
        world.run(forMilliseconds: 5)
        let before = try #require(world.server?.turns)
        innocent.submit(1, in: quiet, [.insert("mine")])
        #expect(world.run { innocent.answer(1, in: quiet) != nil })
        let after = try #require(world.server?.turns)
        #expect(after.turns - before.turns < 100, "took \(after) turns meanwhile")
        let held = editor.replicas[room]?.snapshot
        #expect(
            world.run {
                readers.allSatisfy { reader in
                    (100..<140).allSatisfy { reader.snapshots[$0] == held }
                }
            })
        try expectShortTurns(world)
    }

    @Test func presenceOfMany() throws {
        let world = try makeWorld()
        let members = try (0..<40).map { try world.join("m\($0)", presence: true) }
        let room = members[0].1
        members[0].0.submit(1, in: room, [.insert("a")])
        #expect(world.run { members.allSatisfy { $0.0.revision(room) == 1 } })
        for round in 1...3 {
            for (member, room) in members {
                let state = PresenceState(selected: round % 2 == 0 ? [] : [id("a")])
                member.send(.presence(Presence(room: room, state: state)))
            }
        }
        #expect(
            world.run {
                members.allSatisfy { member, _ in
                    member.others.count == 39
                        && member.others.values.allSatisfy { $0.selected == [id("a")] }
                }
            })
        try expectShortTurns(world)
    }

    /// A room that goes first answers everything that is unanswered, and then notifies its members.
    @Test func answersOfADeletedRoom() throws {
        let world = try makeWorld()
        let members = try (0..<40).map { try world.join("m\($0)", "crowded") }
        let (innocent, _) = try world.join("innocent", "quiet")
        let name = try #require(RoomName("crowded"))
        for (member, room) in members {
            for counter in 1...100 as ClosedRange<UInt64> {
                member.submit(counter, in: room, base: 0, [.insert("\(member.name)\(counter)")])
            }
        }
        #expect(world.run { world.storage.appendCount > 0 })
        innocent.send(.deleteRoom(RoomRequest(request: 50, room: name)))
        #expect(
            world.run {
                members.allSatisfy { $0.client.errors[.room($0.room)]?.code == .roomDeleted }
            })
        for (member, room) in members {
            let counters = member.replicas[room]?.answers.map(\.counter) ?? []
            #expect(counters == Array(1...UInt64(counters.count)))
        }
        try expectShortTurns(world)
    }

    /// All members of a room that goes are notified, however many they are.
    @Test func membersOfADeletedRoom() throws {
        let world = try makeWorld()
        let members = try (0..<80).map { try world.join("m\($0)", "crowded") }
        let (innocent, quiet) = try world.join("innocent", "quiet")
        let name = try #require(RoomName("crowded"))
        innocent.send(.deleteRoom(RoomRequest(request: 50, room: name)))
        innocent.submit(1, in: quiet, [.insert("mine")])
        #expect(world.run { innocent.done.contains(50) && innocent.answer(1, in: quiet) != nil })
        #expect(
            world.run {
                members.allSatisfy { $0.client.errors[.room($0.room)]?.code == .roomDeleted }
            })
        try expectShortTurns(world)
    }

    /// Work that one loop posts to another is blamed on its message and its room.
    @Test func theWatchdogKnowsWhatPostedWorkIsFor() throws {
        let world = try World {
            $0.slowMilliseconds = 50
            $0.threads = 2
        }
        // Connections are assigned to the loops in turn, and some rooms are on the other loop.
        let client = try world.greet("client")
        let rooms = try (0..<8).map { try world.join(client, "room \($0)") }
        world.simulation.conditions.clockReadMicroseconds = 60_000
        for (index, room) in rooms.enumerated() {
            client.send(.leave(Leave(request: RequestID(100 + index), room: room)))
        }
        #expect(world.run { client.done.count == rooms.count })
        world.simulation.conditions.clockReadMicroseconds = 0
        let lines = world.log.lines.filter { $0.contains("a loop was held") }
        #expect(
            lines.contains {
                $0.contains("posted") && $0.contains("leave") && $0.contains("room ")
            }, "\(lines)")
    }
}
