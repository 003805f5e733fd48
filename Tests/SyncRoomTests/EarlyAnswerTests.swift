import ModelSupport
import RoomSupport
import SyncModel
import SyncWire
import Testing

@testable import SyncRoom

/// A client that joins again gets the answers to what it has sent before it gets any content of the
/// room.
@Suite("Answers with the join")
struct EarlyAnswerTests {
    private let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
    private let former = ConnectionID(value: 1)
    private let later = ConnectionID(value: 2)

    private func join(
        _ member: ConnectionID, as client: String = "anna", sent counter: UInt64 = 0,
        answeredThrough: UInt64? = nil
    ) throws -> EarlyAnswers {
        try room.settled.join(
            Admission(
                member: member, client: id(client), secret: [1], counter: counter,
                answeredThrough: answeredThrough)
        ).answers
    }

    private func submit(
        _ counters: ClosedRange<UInt64>, by member: ConnectionID,
        _ operations: [ListOperation]? = nil
    ) throws {
        for counter in counters {
            let transaction = ListTransaction(
                base: room.durableRevision, operations: operations ?? [.insert("i\(counter)")])
            _ = room.receive(
                try PackedTransaction(transaction), counter: counter, from: member)
        }
    }

    private func endTick() throws -> UInt64 {
        try #require(room.endTurn(wallClockMilliseconds: 0)).sequence
    }

    @Test("a join answers with commits, losses and refusals above the last answer, by counter")
    func all() throws {
        _ = try join(former)
        try submit(1...2, by: former)
        try submit(3...3, by: former, [.delete(id("nothing"))])
        try submit(4...4, by: former, [.insert("i1")])
        room.appended(through: try endTick())
        let early = try join(later, sent: 9, answeredThrough: 1)
        #expect(early.results.map(\.counter) == [2, 3, 4])
        #expect(early.results[0].outcome == .committed(Commit(revision: 2)))
        #expect(early.results[1].rejection?.code == .unknownItem)
        let lost = Superseded(operation: 0, reason: .exists)
        #expect(
            early.results[2].outcome == .committed(Commit(revision: 3, superseded: [lost])))
        #expect(early.through == 9)
        #expect(early.pending == 0)
    }

    @Test("a client that does not ask, or has all answers, gets nothing")
    func none() throws {
        _ = try join(former)
        try submit(1...2, by: former)
        room.appended(through: try endTick())
        #expect(try join(later, sent: 2) == EarlyAnswers())
        room.leave(later)
        let early = try join(later, sent: 2, answeredThrough: 2)
        #expect(early.results.isEmpty && early.through == 2)
    }

    @Test("a transaction that is not on disk yet is answered later, without a resend")
    func coming() throws {
        _ = try join(former)
        try submit(1...2, by: former)
        room.appended(through: try endTick())
        try submit(3...3, by: former)
        // This refusal depends on a record that is not on disk.
        try submit(4...4, by: former, [.delete(id("nothing"))])
        let second = try endTick()
        let early = try join(later, sent: 4, answeredThrough: 0)
        #expect(early.results.map(\.counter) == [1, 2])
        #expect(early.through == 4)
        #expect(early.pending == 1)
        // The resent transactions have no answers of their own.
        try submit(3...4, by: later)
        room.applyQueued()
        var absorbed = 0
        room.takeAbsorbed { _ in absorbed += 1 }
        #expect(absorbed == 1)
        room.appended(through: second)
        let answers = room.takeAnswers().filter { $0.member == later }
        #expect(answers.map(\.counter) == [3, 4])
        #expect(answers[0].outcome == .committed(Commit(revision: 3)))
    }

    @Test("the answers are limited, and say up to which counter they go")
    func limits() throws {
        _ = try join(former)
        // The message of each refusal names the missing item.
        try submit(1...900, by: former, [.delete(id("nothing"))])
        try submit(901...901, by: former)
        room.appended(through: try endTick())
        let early = try join(later, sent: 901, answeredThrough: 0)
        #expect((300..<900).contains(early.results.count))
        #expect(early.through == UInt64(early.results.count))
        let bytes = early.results.reduce(0) { $0 + $1.detailBytes }
        #expect(bytes <= EarlyAnswers.maximumBytes)
    }

    @Test("no end is promised where commits may be forgotten")
    func forgotten() throws {
        _ = try join(former)
        for first in stride(from: 1 as UInt64, through: 1021, by: 4) {
            try submit(first...(first + 3), by: former)
        }
        try submit(1025...1026, by: former)
        room.appended(through: try endTick())
        let early = try join(later, sent: 1026, answeredThrough: 1)
        #expect(early.results.count == EarlyAnswers.maximumCount)
        #expect(early.results.first?.counter == 3)
        #expect(early.through == 0)
    }

    @Test("transactions of another room get no answer")
    func foreign() throws {
        _ = try join(former)
        try submit(1...1, by: former)
        room.appended(through: try endTick())
        let other = Origin(room: RoomID(high: 7, low: 7), epoch: EpochID(value: 7))
        let early = try room.join(
            Admission(
                member: later, client: id("anna"), secret: [1], origin: other, counter: 1,
                answeredThrough: 0)
        ).answers
        #expect(early == EarlyAnswers())
    }
}
