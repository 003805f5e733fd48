import ModelSupport
import RoomSupport
import SyncBytes
import SyncEngine
import SyncModel
import Testing

@testable import SyncRoom

/// A refused transaction changes nothing and leaves nothing permanent behind.
@Suite("Refusals")
struct RefusalTests {
    private let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
    private let anna = ConnectionID(value: 1)
    private let bert = ConnectionID(value: 2)

    private func join(_ member: ConnectionID, _ client: String, counter: UInt64 = 0) throws {
        _ = try room.settled.join(
            Admission(member: member, client: id(client), secret: [1], counter: counter))
    }

    private func submit(
        _ counter: UInt64, _ operations: [ListOperation], base: Revision = 0,
        by member: ConnectionID
    ) throws {
        _ = room.receive(
            try PackedTransaction(ListTransaction(base: base, operations: operations)),
            counter: counter, from: member)
        room.applyQueued()
    }

    private func commit() throws {
        let record = try #require(room.endTurn(wallClockMilliseconds: 0))
        room.appended(through: record.sequence)
    }

    private var codes: [Rejection.Code?] {
        room.takeAnswers().map {
            guard case .rejected(let rejection) = $0.outcome else { return nil }
            return rejection.code
        }
    }

    @Test("a thousand refusals leave nothing in the log and in images, and bounded bytes in memory")
    func thousand() throws {
        try join(anna, "anna")
        try submit(1, [.insert("a")], by: anna)
        try commit()
        let image = room.state.encodeImage()
        let bytes = room.stateBytes
        _ = room.takeAnswers()
        // The message of each refusal contains an item name of 128 bytes.
        for counter in 2...1001 as ClosedRange<UInt64> {
            let name = "\(counter)-" + String(repeating: "x", count: 120)
            try submit(counter, [.delete(id(name))], by: anna)
        }
        #expect(room.endTurn(wallClockMilliseconds: 0) == nil)
        #expect(codes == Array(repeating: .unknownItem, count: 1000))
        #expect(room.state.encodeImage() == image)
        let refusals = room.state.authors.refusals
        #expect(room.stateBytes == bytes + refusals.byteCount)
        #expect(refusals.count == 1000)
        #expect(refusals.byteCount <= 600 << 10)
        #expect(room.queuedBytes <= 200 << 10)
    }

    @Test("each refusal is paid for, also one that is repeated")
    func price() throws {
        try join(anna, "anna")
        let before = room.budget.spent
        for _ in 0..<2 {
            for counter in 1...100 as ClosedRange<UInt64> {
                try submit(counter, [.delete(id("nothing"))], by: anna)
            }
        }
        #expect(codes.count == 200)
        let price = WorkCost.transaction.steps() + WorkCost.refusal.steps()
        #expect(room.budget.spent - before >= 200 * price)
    }

    @Test("many refusals of many authors take bounded memory")
    func bound() {
        var refusals = RefusalTable()
        for number in 0..<20_000 {
            let author = SecretHash(
                of: [], client: id("c\(number % 5000)"), user: "", in: RoomOpening.test.room)
            refusals.add(
                Rejection(code: .unknownItem, message: String(repeating: "x", count: 200)),
                UInt64(number), of: author)
            #expect(refusals.byteCount <= RefusalTable.maximumBytes)
        }
        #expect(refusals.count > 1000)
        let last = SecretHash(of: [], client: id("c4999"), user: "", in: RoomOpening.test.room)
        #expect(refusals[last, 19_999]?.code == .unknownItem)
        #expect(refusals.lastCounter(of: last) == 19_999)
        #expect(refusals[last, 4999] == nil)
    }

    @Test("a refusal with nothing undurable before it leaves at once, without a record")
    func atOnce() throws {
        try join(anna, "anna")
        try submit(1, [.delete(id("nothing"))], by: anna)
        #expect(codes == [.unknownItem])
        #expect(room.endTurn(wallClockMilliseconds: 0) == nil)
        #expect(room.isUnwritten)
        #expect(!room.hasUnanswered)
    }

    @Test("a refusal that may depend on an undurable record leaves when that is durable")
    func behindWhatItDependsOn() throws {
        try join(anna, "anna")
        try join(bert, "bert")
        try submit(1, [.insert("a")], by: anna)
        // This refusal reveals that revision 1 has an item, so it waits until revision 1 is
        // durable.
        try submit(1, [.delete(id("b"))], base: 1, by: bert)
        #expect(codes == [])
        let record = try #require(room.endTurn(wallClockMilliseconds: 0))
        try submit(2, [.delete(id("c"))], base: 1, by: bert)
        // The resend on another connection waits as well.
        let later = ConnectionID(value: 3)
        try join(later, "bert", counter: 2)
        try submit(1, [.delete(id("b"))], base: 1, by: later)
        #expect(codes == [])
        room.appended(through: record.sequence)
        let answers = room.takeAnswers()
        #expect(answers.map(\.member) == [anna, nil, nil, later])
        #expect(answers.map(\.counter) == [1, 1, 2, 1])
    }

    @Test(
        "L3: a resend gets its first answer while that is remembered, and is judged again later"
    )
    func again() throws {
        try join(anna, "anna")
        try submit(1, [.insert("a")], by: anna)
        try submit(2, [.delete(id("b"))], base: 1, by: anna)
        try commit()
        #expect(codes == [nil, .unknownItem])
        try join(bert, "bert")
        try submit(1, [.insert("b")], base: 1, by: bert)
        try commit()
        room.leave(anna)
        try join(anna, "anna", counter: 2)
        try submit(2, [.delete(id("b"))], base: 1, by: anna)
        #expect(codes == [nil, .unknownItem])

        // The state that a restart reads.
        let state = try room.state.encodeImage().withBytes { try RoomState(image: $0) }
        let later = Room(state, opening: .test(2), handle: 1, policy: RoomPolicy())
        _ = try later.join(Admission(member: anna, client: id("anna"), secret: [1], counter: 2))
        _ = later.receive(
            try PackedTransaction(ListTransaction(base: 1, operations: [.delete(id("b"))])),
            counter: 2, from: anna)
        let record = try #require(later.endTurn(wallClockMilliseconds: 0))
        later.appended(through: record.sequence)
        #expect(later.takeAnswers().map(\.outcome) == [.committed(Commit(revision: 3))])
    }

    @Test("L3: after a restart, a refusal below a later commit is repeated without its reason")
    func passed() throws {
        try join(anna, "anna")
        try submit(1, [.delete(id("b"))], by: anna)
        try submit(2, [.insert("a")], by: anna)
        try commit()
        #expect(codes == [.unknownItem, nil])
        let state = try room.state.encodeImage().withBytes { try RoomState(image: $0) }
        let later = Room(state, opening: .test(2), handle: 1, policy: RoomPolicy())
        _ = try later.join(Admission(member: anna, client: id("anna"), secret: [1], counter: 2))
        for counter in 1...2 as ClosedRange<UInt64> {
            _ = later.receive(
                try PackedTransaction(ListTransaction(base: 0, operations: [.insert("c")])),
                counter: counter, from: anna)
        }
        #expect(later.endTurn(wallClockMilliseconds: 0) == nil)
        let answers = later.takeAnswers()
        guard case .rejected(let rejection) = answers.first?.outcome else {
            Issue.record("the first is not refused")
            return
        }
        #expect(rejection.code == .refused)
        #expect(answers.last?.outcome == .committed(Commit(revision: 1)))
    }

    @Test("a transaction that a failed store has lost is judged again")
    func failedStore() throws {
        try join(anna, "anna")
        try join(bert, "bert")
        try submit(1, [.insertSection(ListSection(id: id("s")), to: Placement())], by: anna)
        try submit(1, [.delete(id("b"))], base: 1, by: bert)
        _ = room.endTurn(wallClockMilliseconds: 0)
        room.suspend()
        #expect(codes == [.unavailable, .unavailable])
        #expect(room.resume(RoomState(), opening: .test(2)) == [])
        #expect(room.state.authors.refusals.count == 0)
        // The base is above the last revision of the room.
        try submit(1, [.delete(id("b"))], base: 1, by: bert)
        #expect(codes == [.badBase])
    }

    @Test("another client's secret finds no refusals")
    func otherSecret() throws {
        try join(anna, "anna")
        try submit(1, [.delete(id("b"))], by: anna)
        #expect(codes == [.unknownItem])
        room.leave(anna)
        _ = try room.settled.join(Admission(member: bert, client: id("anna"), secret: [2]))
        try submit(1, [.insert("b")], by: bert)
        try commit()
        #expect(codes == [nil])
    }

    @Test(
        "neither log nor image has a secret, and its hash depends on the room and the client"
    )
    func secrets() throws {
        let secret = Array("nobody must find this in a file".utf8)
        _ = try room.settled.join(Admission(member: anna, client: id("anna"), secret: secret))
        try submit(1, [.insert("a")], by: anna)
        let record = try #require(room.endTurn(wallClockMilliseconds: 0))
        for bytes in [record.body.array, room.state.encodeImage().array] {
            #expect(!bytes.indices.contains { bytes[$0...].starts(with: secret) })
            #expect(bytes.indices.contains { bytes[$0...].starts(with: Array("anna".utf8)) })
        }
        let hashes = [
            SecretHash(of: secret, client: id("anna"), user: "", in: RoomOpening.test(1).room),
            SecretHash(of: secret, client: id("anna"), user: "", in: RoomOpening.test(2).room),
            SecretHash(of: secret, client: id("bert"), user: "", in: RoomOpening.test(1).room),
            SecretHash(
                of: secret + [0], client: id("anna"), user: "", in: RoomOpening.test(1).room),
            SecretHash(of: [], client: id("anna"), user: "", in: RoomOpening.test(1).room),
            SecretHash(of: secret, client: id("anna"), user: "x", in: RoomOpening.test(1).room),
            SecretHash(of: secret, client: id("anna"), user: "y", in: RoomOpening.test(1).room),
        ]
        #expect(Set(hashes).count == hashes.count)
        for hash in hashes { #expect(hashes.filter { $0.matches(hash) }.count == 1) }
    }

    @Test("a thousand authors of refusals leave no author")
    func noAuthors() throws {
        for number in 1...1000 as ClosedRange<UInt64> {
            let member = ConnectionID(value: number)
            try join(member, "c\(number)")
            try submit(1, [.delete(id("b"))], by: member)
        }
        #expect(room.state.engine.authorCount == 0)
        #expect(room.takeAnswers().count == 1000)
        try join(ConnectionID(value: 2000), "writer")
        try submit(1, [.insert("a")], by: ConnectionID(value: 2000))
        try commit()
        #expect(room.state.engine.authorCount == 1)
        #expect(try room.state.encodeImage().withBytes { try RoomState(image: $0) }.sequence == 1)
    }
}
