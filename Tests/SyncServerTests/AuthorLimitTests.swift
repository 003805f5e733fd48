import SyncBytes
import SyncEngine
import Testing

@testable import SyncRoom

/// A room remembers so many authors and no more, and says of whom it does not know any more.
@Suite("Many authors")
struct AuthorLimitTests {
    private final class Scene {
        let room: Room
        let departedLimit: Int
        private(set) var records: [RoomRecord] = []
        private var connections: UInt64 = 0

        init(authors: Int, departed: Int = DepartedAuthors.maximumCount) {
            var policy = RoomPolicy()
            policy.maximumAuthors = authors
            departedLimit = departed
            room = Room(
                RoomState(departedLimit: departed), opening: .test, handle: 1, policy: policy)
        }

        func join(
            _ client: String, secret: [UInt8] = [1], counter: UInt64 = 0
        ) throws -> MemberID {
            connections += 1
            let member = MemberID(value: connections)
            _ = try room.join(
                Admission(
                    member: member, connection: connections, client: id(client), secret: secret,
                    counter: counter))
            return member
        }

        /// Sends what a member has to say and gives what it is answered, when all is durable.
        func submit(_ counter: UInt64, _ item: String, by member: MemberID) throws -> Outcome? {
            let transaction = Transaction(base: room.durableRevision, operations: [.insert(item)])
            _ = room.receive(try PackedTransaction(transaction), counter: counter, from: member)
            if let record = room.endTick(wallClockMilliseconds: 0) {
                records.append(record)
                room.appended(through: record.sequence)
            }
            return room.takeAnswers().last?.outcome
        }

        /// Comes, writes one item and goes.
        func visit(_ client: String, counter: UInt64 = 1) throws {
            let member = try join(client, counter: counter - 1)
            guard case .committed = try submit(counter, "\(client)-\(counter)", by: member) else {
                Issue.record("\(client) \(counter) is not committed")
                return
            }
            room.leave(member)
        }

        /// The room as its log makes it.
        func replayed() throws -> RoomState {
            let state = RoomState(departedLimit: departedLimit)
            for record in records { try state.apply(record) }
            return state
        }
    }

    private func code(_ outcome: Outcome?) -> Rejection.Code? {
        guard case .rejected(let rejection) = outcome else { return nil }
        return rejection.code
    }

    @Test(
        "who wrote longest ago goes, and comes back with its last counter and without its answers")
    func evicted() throws {
        let scene = Scene(authors: 3)
        for client in ["anna", "bert", "carl"] { try scene.visit(client) }
        try scene.visit("anna", counter: 2)
        try scene.visit("dora")
        let state = scene.room.state
        #expect(state.author(id("bert")) == nil)
        #expect(state.engine.authorCount == 3)

        #expect(throws: JoinRefusal.badSecret) { try scene.join("bert", secret: [2]) }
        let bert = try scene.join("bert", counter: 1)
        #expect(code(try scene.submit(1, "twice", by: bert)) == .forgotten)
        guard case .committed = try scene.submit(2, "bert-2", by: bert) else {
            Issue.record("bert can't go on")
            return
        }
        #expect(code(try scene.submit(1, "twice", by: bert)) == .forgotten)
        #expect(state.author(id("carl")) == nil)
        #expect(throws: JoinRefusal.badSecret) { try scene.join("carl", secret: []) }
        let items = state.engine.snapshot().sections[0].items.map(\.id.text)
        #expect(items == ["anna-1", "bert-1", "carl-1", "anna-2", "dora-1", "bert-2"])
        #expect(try scene.replayed().encodeImage() == state.encodeImage())
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

    @Test(
        "past what is kept of evicted ones, who says that it has written is told that it is forgotten"
    )
    func dropped() throws {
        let scene = Scene(authors: 1, departed: 2)
        for client in ["anna", "bert", "carl", "dora", "emil"] { try scene.visit(client) }
        let anna = try scene.join("anna", counter: 2)
        for counter in 1...2 as ClosedRange<UInt64> {
            #expect(code(try scene.submit(counter, "twice", by: anna)) == .forgotten)
        }
        guard case .committed = try scene.submit(3, "anna-3", by: anna) else {
            Issue.record("anna can't go on")
            return
        }
        #expect(code(try scene.submit(2, "twice", by: anna)) == .forgotten)
        // Who is new says so.
        try scene.visit("fred")
        let image = scene.room.state.encodeImage()
        #expect(try scene.replayed().encodeImage() == image)
        let again = try image.withBytes { try RoomState(image: $0, departedLimit: 2) }
        #expect(again.encodeImage() == image)
    }

    @Test("a lower limit is come down to, step by step, and a replay does not ask for it")
    func lowered() throws {
        let scene = Scene(authors: 40)
        for number in 0..<40 { try scene.visit("c\(number)") }
        var policy = RoomPolicy()
        policy.maximumAuthors = 5
        let room = Room(try scene.replayed(), opening: .test, handle: 1, policy: policy)
        var count = room.state.engine.authorCount
        for number in 0..<40 as Range<UInt64> {
            let member = MemberID(value: number)
            _ = try room.join(Admission(member: member, client: id("d\(number)"), secret: [1]))
            let transaction = Transaction(base: 40, operations: [.insert("d\(number)")])
            _ = room.receive(try PackedTransaction(transaction), counter: 1, from: member)
            let record = try #require(room.endTick(wallClockMilliseconds: 0))
            room.appended(through: record.sequence)
            room.leave(member)
            #expect(room.state.engine.authorCount >= count - 1)
            count = room.state.engine.authorCount
        }
        #expect(count == 5)
    }

    @Test("ten thousand that come and go leave some bytes each")
    func bytes() throws {
        let scene = Scene(authors: 50)
        for number in 0..<500 { try scene.visit("client-\(number)") }
        let before = scene.room.stateBytes
        let items = scene.room.state.engine.byteCount
        for number in 500..<3000 { try scene.visit("client-\(number)") }
        let growth = scene.room.stateBytes - before
        let itemGrowth = scene.room.state.engine.byteCount - items
        #expect(scene.room.state.engine.authorCount == 50)
        #expect(growth - itemGrowth <= 2500 * 128)
    }
}
