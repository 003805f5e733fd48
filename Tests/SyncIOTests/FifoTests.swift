import SyncBytes
import Testing

@Suite struct FifoTests {
    private final class Thing {
        let number: Int

        init(_ number: Int) {
            self.number = number
        }
    }

    @Test func takesInTheOrderInWhichWasAdded() {
        var queue = Fifo<Int>()
        var (added, taken) = (0, 0)
        for round in 0..<200 {
            for _ in 0..<(round * 7 % 5) {
                queue.append(added)
                added += 1
            }
            for _ in 0..<(round * 11 % 4) where !queue.isEmpty {
                #expect(queue.first == taken)
                #expect(queue.popFirst() == taken)
                taken += 1
            }
            #expect(queue.count == added - taken)
            #expect(queue.isEmpty == (added == taken))
        }
        while queue.popFirst() != nil { taken += 1 }
        #expect(taken == added)
    }

    /// Some elements always wait, so the queue is never empty.
    @Test func keepsNothingThatWasTaken() {
        var queue = Fifo<Thing>()
        for number in 0..<10 { queue.append(Thing(number)) }
        for number in 10..<100 {
            queue.append(Thing(number))
            weak let taken = queue.popFirst()
            #expect(taken == nil)
            #expect(queue.count == 10)
        }
    }
}
