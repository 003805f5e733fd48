import ModelSupport
import RoomSupport
import SyncModel
import SyncRoom
import Testing

/// A client that reconnects sends again all transactions without an answer. They are answered in
/// order, however many of them the log has already stored.
@Suite("Answers come in order")
struct AnswerOrderTests {
    private let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
    private let former = ConnectionID(value: 1)
    private let later = ConnectionID(value: 2)

    private func join(_ member: ConnectionID) throws {
        _ = try room.settled.join(Admission(member: member, client: id("anna"), secret: [1]))
    }

    private func submit(_ counters: ClosedRange<UInt64>, by member: ConnectionID) throws {
        for counter in counters {
            let transaction = ListTransaction(base: 0, operations: [.insert("i\(counter)")])
            _ = room.receive(
                try PackedTransaction(transaction), counter: counter, from: member)
        }
    }

    private func refuse(_ counter: UInt64, by member: ConnectionID) {
        let rejection = Rejection(code: .malformed, message: "it can't be read")
        _ = room.receive(rejection, counter: counter, from: member)
    }

    /// Ends a tick and returns the number of its record.
    private func endTick() throws -> UInt64 {
        try #require(room.endTurn(wallClockMilliseconds: 0)).sequence
    }

    @Test("while some of them are stored and some are on their way to the log")
    func partlyDurable() throws {
        try join(former)
        try submit(1...3, by: former)
        let first = try endTick()
        try submit(4...6, by: former)
        let second = try endTick()
        room.appended(through: first)
        #expect(room.takeAnswers().map(\.counter) == [1, 2, 3])

        try join(later)
        try submit(2...8, by: later)
        let third = try endTick()
        room.appended(through: second)
        room.appended(through: third)
        let answers = room.takeAnswers()
        #expect(answers.map(\.counter) == [2, 3, 4, 5, 6, 7, 8])
        #expect(answers.allSatisfy { $0.member == later })
    }

    @Test("while some of them are refused unread")
    func partlyUnreadable() throws {
        try join(former)
        try submit(1...2, by: former)
        refuse(3, by: former)
        try submit(4...5, by: former)
        let first = try endTick()

        try join(later)
        refuse(0, by: later)
        try submit(1...2, by: later)
        refuse(3, by: later)
        try submit(4...6, by: later)
        let second = try endTick()
        room.appended(through: first)
        room.appended(through: second)
        let answers = room.takeAnswers().filter { $0.member == later }
        #expect(answers.map(\.counter) == [0, 1, 2, 3, 4, 5, 6])
    }
}
