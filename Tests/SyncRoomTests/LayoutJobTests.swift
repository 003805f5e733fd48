import ModelSupport
import RoomSupport
import SyncLayout
import SyncModel
import SyncWire
import Testing

@testable import SyncRoom

/// A room's edits wait while a worker has its state. No job takes longer than 100 ms, except a
/// single large transaction.
@Suite("How long layouts keep a room without its state")
struct LayoutJobTests {
    @Test(
        "for a layout of everything: no item takes more steps than its price",
        arguments: LayoutSpec.Kind.allCases)
    func layouts(kind: LayoutSpec.Kind) throws {
        let count = 3000
        let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
        let member = ConnectionID(value: 1)
        _ = try room.join(Admission(member: member, client: id("c")))
        let inserts = (0..<count).map { ListOperation.insert("i\($0)") }
        let transaction = try PackedTransaction(ListTransaction(base: 0, operations: inserts))
        _ = room.receive(transaction, counter: 1, from: member)
        room.appended(through: try #require(room.endTurn(wallClockMilliseconds: 0)).sequence)
        let bounds = ListRect(width: 300, height: 500)
        try room.show(ViewDemand(view: 1, spec: LayoutSpec(kind: kind), bounds: bounds), to: member)
        for now in 0..<5 as Range<UInt64> {
            room.compose(with: MessageEncoder(), at: now * 100) { _, _ in }
            room.ready(member)
        }
        #expect(room.layoutCount == 1 && room.viewSteps > 0)
        let most = RoomPolicy().maximumItems
        let steps = WorkCost.layoutStep.steps(most / count * room.viewSteps)
        #expect(steps <= TurnBudget.mostStepsPerJob, "\(room.viewSteps) steps")
    }

    @Test("for a layout that is far behind: it is rebuilt instead of updated from an endless batch")
    func batches() throws {
        let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
        let member = ConnectionID(value: 1)
        _ = try room.join(Admission(member: member, client: id("c")))
        for counter in 1...100 as ClosedRange<UInt64> {
            let inserts = (0..<10).map { ListOperation.insert("i\(counter)-\($0)") }
            let transaction = try PackedTransaction(ListTransaction(base: 0, operations: inserts))
            _ = room.receive(transaction, counter: counter, from: member)
            _ = room.settled
        }
        let engine = room.state.engine
        #expect(engine.batch(from: 0, to: 100, stepLimit: 100_000)?.to == 100)
        #expect(engine.batch(from: 0, to: 100, stepLimit: 999) == nil)
        #expect(engine.batch(from: 99, to: 100, stepLimit: 999)?.to == 100)
    }
}
