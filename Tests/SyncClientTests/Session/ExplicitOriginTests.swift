import SyncClient
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

/// A base or a read with an explicit room and epoch, from a client without a replica of the room.
/// Such a client has stored its unanswered transactions over a restart.
@Suite struct ExplicitOriginTests {
    private func insert(_ name: String) throws -> ListOperation {
        .insert(Item(id: try Identifier(name)), to: Placement(section: Identifier("main")))
    }

    /// Submits as a client that knows only a base and its origin.
    private func submit(
        _ name: String, base: Revision, _ origin: Origin?, counter: UInt64? = nil,
        by client: SessionFixture, in world: IdentityWorld
    ) throws -> Answer? {
        var answer: Answer?
        let membership = try #require(client.membership)
        client.session?.submit(
            [try insert(name)], to: membership, base: base, origin: origin, counter: counter
        ) { answer = $0 }
        world.simulation.run { answer != nil }
        return answer
    }

    private func isRoomChanged(_ answer: Answer?) -> Bool {
        if case .rejected(let rejection)? = answer { rejection.code == .roomChanged } else { false }
    }

    @Test func aBaseOfAFormerRoomIsRefused() throws {
        let world = try IdentityWorld(seed: 1)
        let old = try world.join("old")
        try world.insert(["old0", "old1"], by: old)
        let origin = old.membership?.origin
        old.session?.close()
        try world.deleteRoom()
        let new = try world.join("new")
        try world.insert(["new0", "new1", "new2"], by: new)
        #expect(isRoomChanged(try submit("late", base: 2, origin, by: new, in: world)))
        #expect(new.items == ["new0", "new1", "new2"])
        // Later transactions are accepted.
        let own = new.membership?.origin
        #expect(
            try submit("own", base: 3, own, by: new, in: world) == .committed(Commit(revision: 4)))
    }

    /// A client gets only the newest epochs; the server knows more of them.
    @Test func aBaseOfAnOldEpochCounts() throws {
        let world = try IdentityWorld(seed: 2)
        let writer = try world.join("writer")
        try world.insert(["a"], by: writer)
        let origin = writer.membership?.origin
        for name in ["b", "c", "d"] {
            try world.restart()
            try world.insert([name], by: writer)
        }
        #expect(writer.membership?.origin?.epoch != origin?.epoch)
        let other = try world.join("other")
        let answer = try submit("e", base: 1, origin, by: other, in: world)
        #expect(answer == .committed(Commit(revision: 5)))
    }

    @Test func aBaseThatTheStoreHasLostIsRefused() throws {
        let world = try IdentityWorld(seed: 3)
        let writer = try world.join("writer")
        try world.insert(["a"], by: writer)
        let mark = world.storage.mark
        try world.insert(["lost"], by: writer)
        let origin = writer.membership?.origin
        writer.session?.close()
        try world.restart { world.storage.putBack(to: mark) }
        let other = try world.join("other")
        try world.insert(["b", "c"], by: other)
        #expect(isRoomChanged(try submit("late", base: 2, origin, by: other, in: world)))
        let answer = try submit("early", base: 1, origin, by: other, in: world)
        #expect(answer == .committed(Commit(revision: 4)))
    }

    /// A transaction that was committed before its base was lost gets its first answer.
    @Test func whatIsKnownIsAnsweredAgain() throws {
        let world = try IdentityWorld(seed: 4)
        let writer = try world.join("writer")
        try world.insert(["a"], by: writer)
        let mark = world.storage.mark
        try world.insert(["lost"], by: writer)
        let origin = writer.membership?.origin
        try world.cutOff(writer) {
            try world.restart { world.storage.putBack(to: mark) }
        }
        world.simulation.run { writer.items == ["a"] }
        let again = try submit("a", base: 2, origin, counter: 1, by: writer, in: world)
        #expect(again == .committed(Commit(revision: 1)))
        #expect(
            isRoomChanged(try submit("lost", base: 2, origin, counter: 2, by: writer, in: world)))
    }

    // MARK: Reads

    private func ask(_ question: Question, _ client: SessionFixture, _ world: IdentityWorld)
        -> [Reply]
    {
        var replies: [Reply] = []
        var isDone = false
        client.session?.ask(question) { reply in
            replies.append(reply)
            isDone = reply.isEnd
        }
        world.simulation.run { isDone }
        return replies
    }

    @Test func readsOfAFormerRoomAreRefused() throws {
        let world = try IdentityWorld(seed: 5)
        let old = try world.join("old")
        try world.insert(["old0", "old1"], by: old)
        let origin = old.membership?.origin
        let room = try #require(RoomName("room"))
        let questions: [Question] = [
            .history(room, from: 0, until: 2, everyRevision: false, origin: origin),
            .history(room, from: 0, until: 2, everyRevision: true, origin: origin),
            .history(room, from: 2, until: 2, everyRevision: false, origin: origin),
            .snapshot(room, revision: 1, origin: origin),
        ]
        for question in questions {
            guard case .done? = ask(question, old, world).last else {
                Issue.record("\(question) is refused, though the room has it")
                continue
            }
        }
        try world.deleteRoom()
        let new = try world.join("new")
        try world.insert(["new0", "new1", "new2"], by: new)
        for question in questions {
            let replies = ask(question, new, world)
            guard case .failed(.server(.roomChanged, _, _, _))? = replies.last, replies.count == 1
            else {
                Issue.record("\(question) is answered, though the room has lost it")
                continue
            }
        }
    }

    /// The room is deleted, made again and reaches as many revisions while its history is read from
    /// the log. The answer comes from one of the two rooms, or is an error; it never mixes them.
    @Test(arguments: 0..<40) func anAnswerIsOfOneRoom(seed: UInt64) throws {
        let world = try IdentityWorld(seed: seed) { configuration in
            (configuration.room.horizon, configuration.room.maximumHorizon) = (1, 2)
        }
        world.simulation.conditions.jobMicroseconds = 50...20_000
        let room = try #require(RoomName("room"))
        let reader = try SessionFixture(world.simulation, name: "reader", address: world.address)
        reader.open()
        var names = Set<String>()
        var isDone = false
        for incarnation in 0..<2 {
            let writer = try world.join("writer \(incarnation)")
            try world.insert((0..<30).map { "\(incarnation) \($0)" }, by: writer)
            writer.session?.close()
            if incarnation == 1 { break }
            reader.session?.ask(
                .history(room, from: 0, until: 30, everyRevision: true)
            ) { reply in
                if case .batch(let batch) = reply { names.formUnion(batch.insertedIncarnations) }
                if reply.isEnd { isDone = true }
            }
            world.simulation.run(forMilliseconds: seed % 8)
            try world.deleteRoom()
        }
        world.simulation.run { isDone }
        #expect(names.count <= 1, "seed \(seed): \(names)")
    }
}

extension Reply {
    fileprivate var isEnd: Bool {
        switch self {
        case .done, .failed: true
        default: false
        }
    }
}

extension Batch {
    /// The first words of the ids of its inserted items.
    fileprivate var insertedIncarnations: Set<String> {
        Set(
            stages.flatMap(\.inserts).map { insert in
                String(insert.item.id.text.prefix { $0 != " " })
            })
    }
}
