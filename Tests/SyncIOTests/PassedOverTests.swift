import SyncLoop
import Testing

/// The order in which connections that found a poll full are polled again.
@Suite struct PassedOverTests {
    private var line = PassedOver<Int>()

    /// Polls the next ones.
    ///
    /// - Parameter gone: those that have nothing to wait for any more.
    private mutating func next(gone: Set<Int> = []) -> [Int] {
        var polled: [Int] = []
        line.takeNext(half: 2) { stream, isDue in
            polled.append(isDue ? stream : -stream)
            return !gone.contains(stream)
        }
        return polled
    }

    /// Those that were polled as due have a plus, the newest have a minus.
    @Test mutating func whoWaitsLongestIsPolledFirst() {
        for stream in 1...8 { line.add(stream, isDue: false) }
        #expect(next() == [1, 2, -7, -8])
        // These find the next poll full, too, and others come.
        line.add(2, isDue: true)
        line.add(8, isDue: false)
        for stream in 9...11 { line.add(stream, isDue: false) }
        #expect(next() == [2, 3, -10, -11])
        #expect(next() == [4, 5, -8, -9])
        #expect(next() == [-6])
        #expect(next() == [])
    }

    @Test mutating func whoIsGoneTakesNobodysPlace() {
        for stream in 1...9 { line.add(stream, isDue: false) }
        #expect(next(gone: [1, 2, 8, 9]) == [1, 2, -8, -9, 3, 4, -6, -7])
        #expect(next(gone: [5]) == [-5])
    }
}
