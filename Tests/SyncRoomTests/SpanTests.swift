import EngineTwin
import ModelSupport
import RoomSupport
import SyncBytes
import SyncEngine
import SyncModel
import SyncRoom
import SyncWire
import Testing

/// How members that are behind catch up, and what that costs.
@Suite("Members that are behind")
struct SpanTests {
    @Test(
        "share all pieces but the first, so that pieces are not buffered for each of them")
    func sharedPieces() throws {
        let scene = RoomScene(turnSteps: 4096)
        var held: [Snapshot] = []
        for revision in 0..<200 {
            if revision > 0, revision <= 60 { held.append(scene.room.state.engine.snapshot()) }
            try scene.commit(scene.inserts((0..<5).map { "i\(revision)-\($0)" }, bytes: 2000))
        }
        let content = 200 * 5 * 2000
        let members = try held.map { try scene.join(holding: $0) }
        try scene.run(until: members)
        scene.check(members)
        // A piece may take a quarter of a turn's steps, with 64 bytes a step.
        let piece = 4096 / 4 * 64
        #expect(scene.madeBytes < 2 * content + members.count * piece)
        #expect(scene.mostChunkBytes < 2 * (2 * content + members.count * piece))
        #expect(members.allSatisfy { scene.viewers[$0]?.snapshotCount == 0 })
        #expect(scene.longestTurn <= 2 * 4096)
    }

    @Test("do not delay a newcomer, and share their walks through the room")
    func farBehind() throws {
        let scene = RoomScene(turnSteps: 1024)
        var held: [Snapshot] = []
        for revision in 0..<80 {
            if revision > 0, revision <= 40 { held.append(scene.room.state.engine.snapshot()) }
            try scene.commit((0..<100).map { .insert("i\(revision)-\($0)") })
        }
        let members = try held.map { try scene.join(holding: $0) }
        scene.hasWorker = false
        for _ in 0..<3 { try scene.turn() }
        let newcomer = try scene.join()
        for _ in 0..<4 { try scene.turn() }
        #expect(scene.viewers[newcomer]?.frameCount ?? 0 > 0, "it waits for a worker")
        try scene.run(until: [newcomer])
        scene.hasWorker = true
        let before = scene.loanCount
        try scene.run(until: members)
        scene.check(members + [newcomer])
        #expect(scene.loanCount - before <= 4, "\(scene.loanCount - before) loans")
    }

    @Test("get frames that one worker has made while another has the state")
    func madeWhileAway() throws {
        let scene = RoomScene(turnSteps: 1024)
        var held: [Snapshot] = []
        for revision in 0..<40 {
            if revision == 1 { held.append(scene.room.state.engine.snapshot()) }
            try scene.commit((0..<100).map { .insert("i\(revision)-\($0)") })
        }
        let members = try held.map { try scene.join(holding: $0) }
        scene.hasWorker = false
        for _ in 0..<3 { try scene.turn() }
        let room = scene.room
        let first = try #require(room.lend(at: 0))
        first.work()
        room.takeBack(first, at: 0, taking: 0)
        try #require(first.hasRest)
        first.finish()
        let second = room.lendForImage { _ in }
        room.conclude(first)
        second.work()
        room.takeBack(second, at: 0, taking: 0)
        try scene.run(until: members)
        scene.check(members)
    }

    @Test("are sent a large revision that is encoded once")
    func largeRevision() throws {
        let scene = RoomScene(turnSteps: 4096)
        let names = (0..<40).map { "i\($0)" }
        for name in names { try scene.commit(scene.inserts([name], bytes: 50_000)) }
        // These items make the room itself larger than the revision.
        for name in names { try scene.commit(scene.inserts([name + "x"], bytes: 10_000)) }
        let held = scene.room.state.engine.snapshot()
        try scene.commit(
            names.map { .update(id($0), ItemPatch(set: [Field(name: id("n"), value: .number(1))])) }
        )
        let before = scene.loanCount
        var members: [ConnectionID] = []
        for _ in 0..<6 {
            members.append(try scene.join(holding: held))
            try scene.turn()
        }
        try scene.run(until: members)
        scene.check(members)
        #expect(scene.loanCount - before == 1)
        #expect(scene.madeBytes < 3 * 1_000_000)
        #expect(scene.longestTurn <= 2 * 4096)
    }

    @Test("wait while memory is short, and deflated copies count as well")
    func boundedMemory() throws {
        let limit = 1 << 20
        let scene = RoomScene(turnSteps: 1024, pots: Pots(memory: limit))
        var held: [Snapshot] = []
        for revision in 0..<20 {
            try scene.commit(scene.inserts((0..<4).map { "i\(revision)-\($0)" }, bytes: 40_000))
            held.append(scene.room.state.engine.snapshot())
        }
        let members = try held.dropLast().map { try scene.join(holding: $0, encoding: .deflated) }
        for _ in 0..<200 {
            try scene.turn()
            for member in members where scene.viewers[member]?.frameCount != 0 {
                scene.pause(member)
            }
        }
        // Some members are sent frames, which count until they are taken.
        #expect(scene.room.chunkBytes > 2 * 160_000 && scene.mostChunkBytes <= limit)
        #expect(members.contains { scene.viewers[$0]?.frameCount == 0 })
        for member in members { scene.pause(member, false) }
        try scene.run(until: members)
        scene.check(members)
        #expect(scene.mostChunkBytes <= limit)
    }

    @Test("count deflated copies as well as plain ones", arguments: [false, true])
    func countedCopies(isDeflated: Bool) throws {
        let scene = RoomScene(turnSteps: 1024)
        let names = (0..<4).map { "i\($0)" }
        try scene.commit(scene.inserts(names.map { $0 + "x" }, bytes: 40_000))
        let held = scene.room.state.engine.snapshot()
        try scene.commit(scene.inserts(names, bytes: 40_000))
        let member = try scene.join(holding: held, encoding: isDeflated ? .deflated : .plain)
        while scene.viewers[member]?.frameCount == 0 { try scene.turn() }
        let plain = 4 * 40_000
        // Each byte has six random bits of eight.
        let expected = isDeflated ? plain / 4 * 7..<plain * 2 : plain..<plain + 1000
        #expect(expected.contains(scene.room.chunkBytes), "\(scene.room.chunkBytes)")
        try scene.run(until: [member])
        scene.check([member])
    }

    // MARK: Snapshots

    /// A room whose snapshot takes many turns.
    private func largeRoom(_ policy: RoomPolicy = RoomPolicy()) throws -> RoomScene {
        let scene = RoomScene(turnSteps: 1024, policy: policy)
        for start in 0..<40 {
            try scene.commit(scene.inserts((0..<50).map { "i\(start)-\($0)" }, bytes: 100))
        }
        return scene
    }

    /// Deletes items until the room has dropped its present revision from its history.
    private func forget(_ scene: RoomScene) throws {
        let revision = scene.room.durableRevision
        for number in 0..<200 where scene.room.state.engine.horizon <= revision {
            try scene.commit([.delete(id("i\(5 + number / 50)-\(number % 50)"))])
        }
        #expect(scene.room.state.engine.horizon > revision)
    }

    @Test("one snapshot serves all that join while it is made, and edits go on")
    func sharedWalk() throws {
        let scene = try largeRoom()
        scene.hasWorker = false
        var members: [ConnectionID] = []
        for number in 0..<20 {
            members.append(try scene.join())
            try scene.turn()
            try scene.commit([
                .insert("new\(number)"), .delete(id("i\(number)-\(number)")),
                .move(id("i\(number)-0"), to: Placement(section: id("main"))),
            ])
        }
        let turns = try scene.run(until: members)
        #expect(turns > 5, "it is made in one turn")
        scene.check(members)
        #expect(members.allSatisfy { scene.viewers[$0]?.snapshotCount == 1 })
        let snapshot = 2000 * 120
        #expect(scene.madeBytes < 2 * snapshot)
        #expect(scene.longestTurn <= 2 * 1024)
        #expect(scene.room.chunkBytes == 0)
    }

    @Test("start again if the room forgets the revision that they are being sent")
    func passedWalk() throws {
        var policy = RoomPolicy()
        policy.maximumDeadNodes = 5
        let scene = try largeRoom(policy)
        let member = try scene.join()
        while scene.viewers[member]?.frameCount == 0 { try scene.turn() }
        try forget(scene)
        try scene.run(until: [member])
        scene.check([member])
        #expect(scene.viewers[member]?.snapshotCount == 2)
    }

    @Test("continue a snapshot after the room is read from disk again")
    func resumedWalk() throws {
        let scene = try largeRoom()
        let member = try scene.join()
        for _ in 0..<4 { try scene.turn() }
        try scene.commit([.delete(id("i0-0")), .insert("new")])
        let image = scene.room.state.encodeImage()
        scene.room.suspend()
        let state = try RoomState(image: UnsafeRawBufferPointer(image.bytes))
        #expect(scene.room.resume(state, opening: .test(2)).isEmpty)
        try scene.run(until: [member])
        scene.check([member])
        #expect(scene.viewers[member]?.snapshotCount == 1)
    }

    @Test("are sent a snapshot that is larger than the memory limit, part by part")
    func streamedSnapshot() throws {
        let limit = 400_000
        let scene = RoomScene(turnSteps: 4096, pots: Pots(memory: limit))
        for start in 0..<40 {
            try scene.commit(scene.inserts((0..<10).map { "i\(start)-\($0)" }, bytes: 2000))
        }
        let members = try (0..<3).map { _ in try scene.join(encoding: .deflated) }
        for _ in 0..<10 { try scene.turn() }
        scene.pause(members[1])
        for _ in 0..<50 { try scene.turn() }
        let late = try scene.join()
        scene.pause(members[1], false)
        try scene.run(until: members + [late])
        scene.check(members + [late])
        #expect(members.allSatisfy { scene.viewers[$0]?.snapshotCount == 1 })
        #expect(scene.mostChunkBytes <= limit)
    }

    @Test("wait for another snapshot until other members of their holder have taken theirs")
    func boundedSnapshots() throws {
        var policy = RoomPolicy()
        policy.maximumDeadNodes = 2
        policy.maximumChunkBytes = 1000
        let scene = try largeRoom(policy)
        let holder = Holder(in: Pots())
        let stuck = try scene.join(holder: holder)
        while scene.viewers[stuck]?.frameCount == 0 { try scene.turn() }
        scene.pause(stuck)
        // Its snapshot is completed, and then becomes too old.
        for _ in 0..<100 { try scene.turn() }
        try forget(scene)
        let other = try scene.join(holder: holder)
        for _ in 0..<100 { try scene.turn() }
        #expect(scene.viewers[other]?.frameCount == 0)
        scene.pause(stuck, false)
        try scene.run(until: [stuck, other])
        scene.check([stuck, other])
        #expect(scene.mostChunkBytes < 2 * 2 * 2000 * 120)
    }

    @Test("do not wait for a snapshot of another holder")
    func othersSnapshots() throws {
        var policy = RoomPolicy()
        policy.maximumDeadNodes = 2
        policy.maximumChunkBytes = 1000
        let scene = try largeRoom(policy)
        let stuck = try scene.join()
        while scene.viewers[stuck]?.frameCount == 0 { try scene.turn() }
        scene.pause(stuck)
        for _ in 0..<100 { try scene.turn() }
        try forget(scene)
        let other = try scene.join()
        try scene.run(until: [other])
        scene.check([other])
        scene.pause(stuck, false)
        try scene.run(until: [stuck])
        scene.check([stuck])
    }

    @Test("do not wait for the snapshot of a slow member without memory")
    func stuckWalk() throws {
        let scene = RoomScene(turnSteps: 32_768)
        for start in 0..<20 {
            try scene.commit(scene.inserts((0..<1000).map { "i\(start)-\($0)" }, bytes: 40))
        }
        let pots = Pots(memory: 1000)
        let holder = Holder(in: pots)
        let elsewhere = Charge(in: holder.memory, isPart: true)
        elsewhere.change(to: 10_000)
        let stuck = try scene.join(holder: holder)
        while scene.viewers[stuck]?.frameCount == 0 { try scene.turn() }
        scene.pause(stuck)
        for _ in 0..<100 { try scene.turn() }
        let untaken = scene.mostChunkBytes
        let other = try scene.join()
        try scene.run(until: [other])
        scene.check([other])
        #expect(untaken < scene.mostChunkBytes / 10 * 9)
        // The slow member gets everything, too, as fast as it takes it.
        scene.pause(stuck, false)
        try scene.run(until: [stuck])
        scene.check([stuck])
        withExtendedLifetime(elsewhere) {}
    }
}
