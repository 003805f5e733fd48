import ModelSupport
import SyncModel
import SyncServer
import SyncStore
import SyncWire
import Testing

@testable import SyncRoom

/// A room's edits wait while a worker has its state. No job takes longer than 100 ms, except a
/// single large transaction.
@Suite("How long a room is without its state")
struct JobLengthTests {
    @Test("a job is as long as some turns, and 100 ms at most")
    func limits() {
        #expect(TurnBudget(stepsPerTurn: 1000).stepsPerJob == 10_000)
        // A step takes about 305 ns.
        for steps in [ServerConfiguration().turnSteps, 1 << 24, .max] {
            let job = TurnBudget(stepsPerTurn: steps).stepsPerJob
            #expect(job > 300_000 && job * 305 <= 100_000_000, "\(steps)")
        }
    }

    @Test("for batches: the planned ones, and one more transaction of any size")
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

    /// An image that takes longer than a job is made from the log, so that a client that joins
    /// meanwhile need not wait.
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
