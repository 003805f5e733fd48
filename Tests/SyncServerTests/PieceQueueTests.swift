import SyncServer
import Testing

/// Work that is done piece by piece.
@Suite("Work by pieces")
struct PieceQueueTests {
    @Test("takes turns")
    func turns() {
        var queue = PieceQueue()
        var done: [String] = []
        for (name, count) in [("a", 2), ("b", 3)] {
            var left = count
            queue.add {
                guard left > 0 else { return false }
                left -= 1
                done.append(name)
                return true
            }
        }
        while let work = queue.next() {
            if work.doNext() { queue.putBack(work) }
        }
        #expect(done == ["a", "b", "a", "b", "b"])
        #expect(queue.isEmpty)
    }

    /// Tasks of a room that is deleted are ended piece by piece, and there may be this many.
    @Test("may have a million pieces")
    func manyPieces() {
        var queue = PieceQueue()
        var left = 1_000_000
        queue.add {
            left -= 1
            return left > 0
        }
        while let work = queue.next() {
            if work.doNext() { queue.putBack(work) }
        }
        #expect(left == 0)
    }
}
