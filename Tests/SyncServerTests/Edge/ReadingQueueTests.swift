import Testing

@testable import SyncServer

/// In which order connections are read on that have to wait.
@Suite struct ReadingQueueTests {
    /// Whatever comes and goes: each owner's things come in order, nobody has two turns while another waits for
    /// one, and nothing is lost.
    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func ownersTakeTurns(seed: UInt64) {
        var numbers = Numbers(seed: seed)
        var rounds = Rounds<Int, Int>()
        var lines: [Int: [Int]] = [:]
        /// How many turns others have had since an owner began to wait.
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
                    Issue.record("\(found) was not next of anybody")
                    return
                }
                lines[owner]?.removeFirst()
                waits[owner] = [:]
                for other in lines.keys where other != owner && lines[other]?.isEmpty == false {
                    waits[other, default: [:]][owner, default: 0] += 1
                    #expect(waits[other]?[owner] ?? 0 <= 1, "\(owner) is before \(other)")
                }
            } else {
                #expect(count == 0)
            }
            #expect(rounds.count == count)
        }
    }

    @Test func smallAndLargeAreApart() {
        var queue = ReadingQueue<Int>()
        let (anna, mallory) = (Owner(), Owner())
        for number in 0..<4 { queue.add(number, of: ObjectIdentifier(mallory), isSmall: false) }
        queue.add(10, of: ObjectIdentifier(anna), isSmall: false)
        queue.add(20, of: nil, isSmall: true)
        #expect(queue.count == 6)
        #expect(queue.nextSmall() == 20)
        #expect(queue.nextSmall() == nil)
        #expect([queue.nextLarge(), queue.nextLarge(), queue.nextLarge()] == [0, 10, 1])
        #expect(queue.count == 2 && !queue.isEmpty)
    }

    private final class Owner {}
}
