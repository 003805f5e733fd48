import EngineTwin
import SeededRandom
import SyncModel
import SyncRoom
import SyncServer
import SyncWire
import Testing

/// A whole server with the expensive messages of strangers. No turn of a loop takes more steps than
/// its budget and one transaction.
@Suite struct TurnCostTests {
    private static let turnSteps = 512
    private static let transactionSteps = 2_000

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func hostileTransactionsKeepTurnsShort(seed: UInt64) throws {
        let world = try World(seed: seed) {
            $0.turnSteps = TurnCostTests.turnSteps
            $0.wire.transactionSteps = TurnCostTests.transactionSteps
            $0.threads = 1
        }
        let (host, room) = try world.join("host")
        host.submit(1, in: room, base: 0, HostileTransactions.room(items: 200))
        #expect(world.run { host.answer(1, in: room) != nil })
        var random = SplitMix64(seed: seed)
        var strangers: [(client: RawClient, room: RoomHandle)] = []
        for number in 0..<4 {
            let stranger = try world.join("stranger\(number)")
            strangers.append((stranger.0, stranger.1))
            let bytes = (0..<600).map { _ in UInt8(random.below(256)) }
            var hostile = HostileTransactions(bytes, itemCount: 200)
            for counter in 1...30 as ClosedRange<UInt64> {
                // Some transactions are based on the current room, some on its first revision.
                let operations = hostile.next(newest: 1).operations
                stranger.0.submit(
                    counter, in: stranger.1, base: number % 2 == 0 ? 1 : 0, operations)
            }
        }
        let areAnswered = world.run {
            strangers.allSatisfy { $0.client.replicas[$0.room]?.answers.count == 30 }
        }
        #expect(areAnswered)
        let answers = strangers.flatMap {
            $0.client.replicas[$0.room]?.answers.map(\.outcome) ?? []
        }
        #expect(answers.contains(.reject(.limitExceeded)))
        let turns = try #require(world.server?.turns)
        // A rollback costs as much as the transaction itself, and a turn may end with one.
        let steps = 2 * (TurnCostTests.turnSteps + TurnCostTests.transactionSteps)
        let bound = WorkCost.engineStep.steps(steps)
        #expect(turns.largestTurn <= bound, "a turn took \(turns.largestTurn) steps of \(bound)")
        #expect(turns.fullTurns > 0)
    }
}
