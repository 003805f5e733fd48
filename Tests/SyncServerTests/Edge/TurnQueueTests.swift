import SeededRandom
import SyncRoom
import Testing

@testable import SyncServer

/// The order in which queued work is done.
@Suite struct TurnQueueTests {
    /// Each owner's work is done in order, no owner has two turns while another waits for one, and
    /// nothing is lost.
    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func ownersTakeTurns(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var rounds = RoundRobin<Int, Int>()
        var lines: [Int: [Int]] = [:]
        /// How many turns other owners have had since an owner began to wait.
        var waits: [Int: [Int: Int]] = [:]
        var count = 0
        for step in 0..<3000 {
            // The first owner floods.
            if numbers.next() % 5 < (step < 2000 ? 3 : 1) {
                let owner = numbers.next() % 3 == 0 ? Int(numbers.next() % 6) : 0
                if lines[owner, default: []].isEmpty { waits[owner] = [:] }
                lines[owner, default: []].append(step)
                rounds.add(step, of: owner)
                count += 1
            } else if let found = rounds.next() {
                count -= 1
                guard let owner = lines.first(where: { $0.value.first == found })?.key else {
                    Issue.record("\(found) is nobody's next")
                    return
                }
                lines[owner]?.removeFirst()
                waits[owner] = [:]
                for other in lines.keys where other != owner && lines[other]?.isEmpty == false {
                    waits[other, default: [:]][owner, default: 0] += 1
                    #expect(waits[other]?[owner] ?? 0 <= 1, "\(owner) is twice before \(other)")
                }
            } else {
                #expect(count == 0)
            }
            #expect(rounds.count == count)
        }
    }

    /// Serves a queue with a budget in which each piece takes one step.
    private func serve(
        _ queue: TurnQueue<Int>, _ steps: Int, keeping kept: Int = 0,
        _ body: (Int) -> Void = { _ in }
    ) -> [Int] {
        let budget = TurnBudget(stepsPerTurn: 4 * steps)
        var served: [Int] = []
        queue.serve(from: budget, keeping: kept) { element, isSmall in
            #expect(isSmall == (element >= 20))
            served.append(element)
            budget.spend(1)
            body(element)
        }
        return served
    }

    @Test func smallWorkComesBeforeLargeAndLeavesSome() {
        let queue = TurnQueue<Int>()
        let (anna, mallory) = (Owner(), Owner())
        for number in 0..<4 { queue.add(number, of: ObjectIdentifier(mallory), isSmall: false) }
        queue.add(10, of: ObjectIdentifier(anna), isSmall: false)
        for number in 20..<26 { queue.add(number, of: ObjectIdentifier(anna), isSmall: true) }
        #expect(queue.count == 11)
        #expect(serve(queue, 4) == [20, 21, 0, 10])
        #expect(serve(queue, 4, keeping: 2) == [22, 1])
        // The first large piece is done whatever it costs.
        #expect(serve(queue, 2, keeping: 2) == [2])
        #expect(serve(queue, 100) == [23, 24, 25, 3])
        #expect(queue.isEmpty)
    }

    @Test func whatComesMeanwhileWaits() {
        let queue = TurnQueue<Int>()
        let owner = Owner()
        queue.add(20, of: ObjectIdentifier(owner), isSmall: true)
        let served = serve(queue, 100) { _ in
            queue.add(21, of: ObjectIdentifier(owner), isSmall: true)
        }
        #expect(served == [20])
        #expect(queue.count == 1)
    }

    private final class Owner {}
}
