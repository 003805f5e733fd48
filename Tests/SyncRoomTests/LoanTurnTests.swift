import ModelSupport
import RoomSupport
import SyncEngine
import SyncModel
import SyncWire
import Testing

@testable import SyncRoom

@Suite struct LoanTurnTests {
    /// The author of large transactions keeps nobody from seeing what is there.
    @Test("large transactions and what is to be shown take turns at a room's state")
    func turns() throws {
        let scene = RoomScene(turnSteps: 128)
        try scene.commit([.insert("first")])
        let held = scene.room.state.engine.snapshot()
        for number in 0..<100 {
            try scene.commit((0..<4).map { .insert("i\(number)-\($0)") })
        }
        let late = try scene.join(holding: held)
        let (room, budget) = (scene.room, scene.budget)
        let writer = ConnectionID(value: 50)
        _ = try room.join(Admission(member: writer, client: id("writer"), viewOnly: true))
        for counter in 1...6 as ClosedRange<UInt64> {
            let inserts = (0..<300).map { ListOperation.insert("w\(counter)-\($0)") }
            let transaction = ListTransaction(base: room.durableRevision, operations: inserts)
            _ = room.receive(try PackedTransaction(transaction), counter: counter, from: writer)
        }
        var kinds: [Loan.Kind] = []
        for turn in 0..<40 {
            let now = UInt64(1000 + 10 * turn)
            budget.begin(.read)
            budget.begin(.apply)
            room.applyQueued(at: now)
            if let record = room.endTurn(wallClockMilliseconds: 0) {
                room.appended(through: record.sequence)
            }
            room.takeAnswers { _ in }
            budget.begin(.compose)
            room.compose(with: MessageEncoder(), at: now) { _, _ in }
            room.ready(late)
            guard let loan = room.lend(at: now) else { continue }
            kinds.append(loan.kind)
            loan.work()
            room.takeBack(loan, at: now, taking: 0)
            guard loan.hasRest else { continue }
            loan.finish()
            room.conclude(loan)
        }
        #expect(kinds.prefix(6).contains(.output), "\(kinds)")
        #expect(kinds.count { $0 == .transaction } == 6)
    }
}
