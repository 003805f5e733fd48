import SyncLayout
import SyncModel
import SyncServer
import SyncStore
import SyncWire
import Testing

@testable import SyncRoom

/// A room's edits wait while a worker has its state: for no job but one transaction longer than 100
/// ms.
@Suite("How long a room is without its state")
struct JobLengthTests {
    @Test("is as long as some turns, and 100 ms at most")
    func limits() {
        #expect(TurnBudget(stepsPerTurn: 1000).stepsPerJob == 10_000)
        // A step takes some 305 ns.
        for steps in [ServerConfiguration().turnSteps, 1 << 24, .max] {
            let job = TurnBudget(stepsPerTurn: steps).stepsPerJob
            #expect(job > 300_000 && job * 305 <= 100_000_000, "\(steps)")
        }
    }

    @Test("for batches: those planned, and one transaction more, whatever its size")
    func spans() {
        let limits = WireLimits()
        for steps in [1024, ServerConfiguration().turnSteps, 1 << 24] {
            let budget = TurnBudget(stepsPerTurn: steps)
            let planned = SpanMaker.stepsAtOnce(ofPiece: budget.stepsPerPiece)
            #expect(planned <= budget.stepsPerJob)
            let last = limits.transactionOperations + limits.transactionBytes / 64
            #expect(planned + last <= TurnBudget.mostStepsPerJob)
        }
    }

    @Test(
        "for a layout of all: no item takes more than an item's price",
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

    @Test("for a layout that is far behind: it is made anew rather than from a batch without end")
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

    /// From the log, where that takes longer, as whoever comes meanwhile would wait.
    @Test("for an image of a room that nobody uses", arguments: [false, true])
    func images(isLarge: Bool) throws {
        let world = try World {
            $0.turnSteps = 1024
            $0.threads = 1
            $0.storage.idleUnloadMilliseconds = 1000
        }
        let budget = TurnBudget(stepsPerTurn: 1024)
        let (editor, room) = try world.join("editor")
        let count = isLarge ? 2 * budget.stepsPerJob : budget.stepsPerJob * 3 / 4
        for counter in 1...UInt64(count / 200) {
            editor.submit(
                counter, in: room, base: 0, (0..<200).map { .insert("i\(counter)-\($0)") })
        }
        #expect(world.run { editor.answer(UInt64(count / 200), in: room) != nil })
        #expect(world.storage.savedSnapshots.isEmpty)
        let before = try #require(world.server?.turns.loans)
        editor.send(.leave(Leave(request: 900, room: room)))
        #expect(world.run { world.log.count(of: "a room is closed") == 1 })
        #expect(world.storage.savedSnapshots.last?.revision == UInt64(count / 200))
        #expect((world.server?.turns.loans ?? 0) - before == (isLarge ? 0 : 1))
        let (again, handle) = try world.join("again")
        #expect(world.run { again.items(handle).count == count / 200 * 200 })
    }
}
