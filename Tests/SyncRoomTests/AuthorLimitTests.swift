import ModelSupport
import RoomSupport
import SyncBytes
import SyncEngine
import SyncModel
import Testing

@testable import SyncRoom

/// A room remembers a limited number of authors. Of all evicted ones it remembers only the greatest
/// revision.
@Suite("Many authors")
struct AuthorLimitTests {
    private final class Scene {
        let room: Room
        private(set) var records: [LogRecord] = []
        private var connections: UInt64 = 0
        /// The last counter in the answer to the newest join.
        private(set) var lastCounter: UInt64 = 0

        init(authors: Int, budget: TurnBudget = TurnBudget()) {
            var policy = RoomPolicy()
            policy.maximumAuthors = authors
            room = Room(RoomState(), opening: .test, handle: 1, policy: policy, budget: budget)
        }

        func join(
            _ client: String, user: UserName = "", secret: [UInt8] = [1], counter: UInt64 = 0
        ) throws -> ConnectionID {
            connections += 1
            let member = ConnectionID(value: connections)
            lastCounter = try room.settled.join(
                Admission(
                    member: member, connection: connections, client: id(client), user: user,
                    secret: secret, counter: counter)
            ).lastCounter
            return member
        }

        /// Sends a member's transaction and returns its answer once everything is durable.
        func submit(
            _ counter: UInt64, _ item: String, base: Revision? = nil, by member: ConnectionID
        ) throws -> Outcome? {
            try send(counter, item, base: base, by: member)
            commit()
            return room.takeAnswers().last?.outcome
        }

        func send(
            _ counter: UInt64, _ item: String, base: Revision? = nil, by member: ConnectionID
        ) throws {
            let transaction = ListTransaction(
                base: base ?? room.durableRevision, operations: [.insert(item)])
            _ = room.receive(try PackedTransaction(transaction), counter: counter, from: member)
        }

        func commit() {
            if let record = room.endTurn(wallClockMilliseconds: 0) {
                records.append(record)
                room.appended(through: record.sequence)
            }
        }

        /// Joins, writes one item and leaves.
        func visit(_ client: String, counter: UInt64 = 1) throws {
            let member = try join(client, counter: counter - 1)
            guard case .committed = try submit(counter, "\(client)-\(counter)", by: member) else {
                Issue.record("\(client) \(counter) is not committed")
                return
            }
            room.leave(member)
        }

        /// The room as its log replays it.
        func replayed() throws -> RoomState {
            let state = RoomState()
            for record in records { try state.apply(record) }
            return state
        }
    }

    private func code(_ outcome: Outcome?) -> Rejection.Code? {
        guard case .rejected(let rejection) = outcome else { return nil }
        return rejection.code
    }

    private func isCommitted(_ outcome: Outcome?) -> Bool {
        if case .committed = outcome { true } else { false }
    }

    @Test("L4: the author that wrote longest ago is evicted, and little is known of it afterwards")
    func evicted() throws {
        let scene = Scene(authors: 3)
        for client in ["anna", "bert", "carl"] { try scene.visit(client) }
        try scene.visit("anna", counter: 2)
        try scene.visit("dora")
        let state = scene.room.state
        #expect(state.author(id("bert")) == nil)
        #expect(state.engine.authorCount == 3)
        // Bert's last revision.
        #expect(state.authors.evictedThrough == 2)

        let bert = try scene.join("bert", counter: 3)
        // The base lies below it and the client sent this counter before, so it may have been
        // committed.
        #expect(code(try scene.submit(1, "twice", base: 1, by: bert)) == .forgotten)
        // With this base a commit would lie above every evicted revision.
        #expect(isCommitted(try scene.submit(2, "bert-2", base: 2, by: bert)))
        // Counter 1 stays forgotten after a later commit.
        #expect(code(try scene.submit(1, "twice", base: 1, by: bert)) == .forgotten)
        #expect(isCommitted(try scene.submit(3, "bert-3", base: 2, by: bert)))
        #expect(state.author(id("carl")) == nil)
        #expect(state.authors.evictedThrough == 3)
        let items = state.engine.snapshot().sections[0].items.map(\.id.text)
        #expect(items.filter { $0 == "twice" } == [])
        #expect(items.count == 7)
        let image = state.encodeImage()
        #expect(try scene.replayed().encodeImage() == image)
        let again = try image.withBytes { try RoomState(image: $0) }
        #expect(again.authors.evictedThrough == 3)
        #expect(again.encodeImage() == image)
    }

    @Test("L4: a client that has sent nothing before is new, whatever its base")
    func newcomers() throws {
        let scene = Scene(authors: 1)
        for number in 0..<5 { try scene.visit("c\(number)") }
        #expect(scene.room.state.authors.evictedThrough == 4)
        let anna = try scene.join("anna")
        #expect(isCommitted(try scene.submit(1, "a", base: 0, by: anna)))
    }

    @Test("anybody may use the id of an evicted client, but not that of a known one")
    func secrets() throws {
        let scene = Scene(authors: 1)
        for client in ["anna", "bert"] { try scene.visit(client) }
        #expect(throws: RoomRefusal.badSecret) { try scene.join("bert", secret: [2]) }
        let other = try scene.join("anna", secret: [2])
        #expect(isCommitted(try scene.submit(1, "other", by: other)))
        #expect(throws: RoomRefusal.badSecret) { try scene.join("anna", counter: 1) }
    }

    @Test("a join answers with the greatest known counter of the client")
    func lastCounter() throws {
        let scene = Scene(authors: 1)
        let anna = try scene.join("anna")
        _ = try scene.submit(7, "a", by: anna)
        #expect(scene.lastCounter == 0)
        _ = try scene.join("anna")
        #expect(scene.lastCounter == 7)
        try scene.visit("bert")
        #expect(scene.lastCounter == 0)
    }

    @Test("a client that never left is known by its commits")
    func replaced() throws {
        let scene = Scene(authors: 1)
        for number in 0..<5 { try scene.visit("c\(number)") }
        let anna = try scene.join("anna")
        scene.room.intake = Intake(.refusesAll, isCrowded: false, quota: .all)
        #expect(code(try scene.submit(1, "a", base: 0, by: anna)) == .unavailable)
        scene.room.intake = Intake(.none, isCrowded: false, quota: .all)
        let again = try scene.join("anna", counter: 1)
        #expect(isCommitted(try scene.submit(1, "a", base: 0, by: again)))
    }

    @Test("no author with a queued transaction is evicted")
    func queued() throws {
        let scene = Scene(authors: 1)
        try scene.visit("anna")
        let known = scene.room.state.author(id("anna"))
        let bert = try scene.join("bert")
        let anna = try scene.join("anna", counter: 1)
        try scene.send(1, "bert-1", by: bert)
        try scene.send(2, "anna-2", by: anna)
        scene.room.leave(anna)
        scene.commit()
        #expect(scene.room.state.author(id("anna")) == known)
        #expect(try scene.replayed().encodeImage() == scene.room.state.encodeImage())
    }

    @Test("a transaction that a client left in the queue is not applied again when it is resent")
    func leftBehind() throws {
        let budget = TurnBudget(stepsPerTurn: 16)
        let scene = Scene(authors: 10, budget: budget)
        let anna = try scene.join("anna")
        for counter in 1...20 as ClosedRange<UInt64> {
            try scene.send(counter, "i\(counter)", base: 0, by: anna)
        }
        scene.room.leave(anna)
        #expect(throws: RoomRefusal.badSecret) { try scene.join("anna", secret: [2], counter: 0) }
        let again = try scene.join("anna", counter: 0)
        #expect(scene.lastCounter == 20)
        for counter in 1...20 as ClosedRange<UInt64> {
            try scene.send(counter, "i\(counter)", base: 0, by: again)
        }
        for _ in 0..<500 where scene.room.hasQueued {
            budget.begin(.read)
            scene.commit()
        }
        #expect(scene.room.durableRevision == 20)
        #expect(scene.room.takeAnswers().filter { $0.member == again }.count == 20)
    }

    @Test("the log records a client's user, who stays its user, and an image keeps it")
    func users() throws {
        let scene = Scene(authors: 3)
        for counter in 1...2 as ClosedRange<UInt64> {
            let member = try scene.join("anna", user: "ada")
            #expect(isCommitted(try scene.submit(counter, "a\(counter)", by: member)))
            scene.room.leave(member)
        }
        for user in ["", "eve", "ad"] as [UserName] {
            let refusal = #expect(throws: RoomRefusal.self) {
                try scene.join("anna", user: user)
            }
            #expect(refusal?.code == .badSecret)
        }
        let users = try scene.records.map { record in
            var reader = ByteReader(record.body.bytes)
            _ = try reader.readVarint()
            _ = try EpochEntry.read(&reader)
            guard case .commit(let entry, _) = try LogEntry.read(&reader) else { return "none" }
            return entry.user?.text ?? "as before"
        }
        #expect(users == ["ada", "as before"])
        let author = try #require(scene.room.state.author(id("anna")))
        let image = scene.room.state.encodeImage()
        #expect(try scene.replayed().encodeImage() == image)
        let again = try image.withBytes { try RoomState(image: $0) }
        #expect(again.authors[author].user == "ada")
    }

    @Test("a member stays an author, however many come")
    func members() throws {
        let scene = Scene(authors: 2)
        let anna = try scene.join("anna")
        _ = try scene.submit(1, "a", by: anna)
        for number in 0..<50 { try scene.visit("c\(number)") }
        #expect(scene.room.state.author(id("anna")) != nil)
        #expect(scene.room.state.engine.authorCount == 2)
        #expect(try scene.submit(1, "a", by: anna) == .committed(Commit(revision: 1)))
        scene.room.leave(anna)
        for number in 50..<60 { try scene.visit("c\(number)") }
        #expect(scene.room.state.author(id("anna")) == nil)
        #expect(try scene.replayed().encodeImage() == scene.room.state.encodeImage())
    }

    @Test("a lower limit is reached step by step, and a replay ignores the limit")
    func lowered() throws {
        let scene = Scene(authors: 40)
        for number in 0..<40 { try scene.visit("c\(number)") }
        var policy = RoomPolicy()
        policy.maximumAuthors = 5
        let room = Room(try scene.replayed(), opening: .test, handle: 1, policy: policy)
        var count = room.state.engine.authorCount
        for number in 0..<40 as Range<UInt64> {
            let member = ConnectionID(value: number)
            _ = try room.settled.join(
                Admission(member: member, client: id("d\(number)"), secret: [1]))
            let transaction = ListTransaction(base: 40, operations: [.insert("d\(number)")])
            _ = room.receive(try PackedTransaction(transaction), counter: 1, from: member)
            let record = try #require(room.endTurn(wallClockMilliseconds: 0))
            room.appended(through: record.sequence)
            room.leave(member)
            #expect(room.state.engine.authorCount >= count - 1)
            count = room.state.engine.authorCount
        }
        #expect(count == 5)
    }

    @Test("thousands of clients that come and go leave nothing")
    func bytes() throws {
        let scene = Scene(authors: 50)
        for number in 0..<500 { try scene.visit("client-\(number)") }
        let before = scene.room.stateBytes
        let items = scene.room.state.engine.byteCount
        for number in 500..<6000 { try scene.visit("client-\(number)") }
        let growth = scene.room.stateBytes - before
        let itemGrowth = scene.room.state.engine.byteCount - items
        #expect(scene.room.state.engine.authorCount == 50)
        // The room knows the authors of the newest 4096 revisions: a list with four bytes each,
        // whose capacity may have doubled.
        #expect(growth - itemGrowth <= 1024 + 2 * 4 * 4096)
    }

    @Test("authors count towards a room's quota of bytes")
    func quota() throws {
        var policy = RoomPolicy()
        policy.maximumBytes = 200_000
        (policy.horizon, policy.maximumHorizon) = (1, 1)
        let room = Room(RoomState(), opening: .test, handle: 1, policy: policy)
        var code: Rejection.Code?
        for number in 0..<5000 as Range<UInt64> where code == nil {
            let member = ConnectionID(value: number)
            _ = try room.join(Admission(member: member, client: id("c\(number)")))
            let operation: ListOperation =
                number == 0 ? .insert("a") : .move(id("a"), to: Placement(section: id("main")))
            let transaction = ListTransaction(base: room.durableRevision, operations: [operation])
            _ = room.receive(try PackedTransaction(transaction), counter: 1, from: member)
            if let record = room.endTurn(wallClockMilliseconds: 0) {
                room.appended(through: record.sequence)
            }
            room.takeAnswers {
                if case .rejected(let rejection) = $0.first?.result.outcome {
                    code = rejection.code
                }
            }
            room.leave(member)
        }
        #expect(code == .limitExceeded)
        #expect(room.state.engine.byteCount < 150_000)
    }
}
