import ModelSupport
import RoomSupport
import SyncModel
import SyncRoom
import Testing

@Suite("Memberships that ended")
struct FormerMembershipTests {
    @Test("answers that are ready go to nobody if their membership ends first")
    func released() throws {
        let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
        let member = ConnectionID(value: 1)
        let rejection = Rejection(code: .malformed, message: "it can't be read")
        for round in 0..<6 {
            _ = try room.settled.join(
                Admission(member: member, client: id("c\(round)"), secret: [1]))
            for counter in 1...39 as ClosedRange<UInt64> {
                _ = room.receive(rejection, counter: counter, from: member)
            }
            if round < 5 { room.leave(member) }
        }
        room.applyQueued()
        let answers = room.takeAnswers().filter { $0.member != nil }
        #expect(answers.map(\.counter) == Array(1...39))
        // The next answers are not mistaken for those of the former membership.
        _ = room.receive(rejection, counter: 40, from: member)
        #expect(room.takeAnswers().map(\.member) == [member])
    }

    @Test("transactions absorbed for a former membership do not count for the next one")
    func absorbed() throws {
        let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
        let member = ConnectionID(value: 1)
        func join(_ name: String) throws {
            _ = try room.settled.join(Admission(member: member, client: id(name), secret: [1]))
        }
        func submitTwice() throws -> Int {
            let transaction = ListTransaction(base: 0, operations: [.insert("i")])
            for _ in 0..<2 {
                _ = room.receive(try PackedTransaction(transaction), counter: 1, from: member)
            }
            room.applyQueued()
            return 1
        }
        try join("anna")
        let asked = try submitTwice()
        var absorbed = 0
        room.takeAbsorbed { _ in absorbed += 1 }
        #expect(absorbed == asked)
        _ = room.receive(
            try PackedTransaction(ListTransaction(base: 0, operations: [.insert("i")])), counter: 1,
            from: member)
        room.applyQueued()
        room.leave(member)
        try join("bert")
        room.takeAbsorbed { _ in absorbed += 1 }
        #expect(absorbed == asked)
    }
}
