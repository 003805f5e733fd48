import SyncBytes

/// Work that is done piece by piece: who had a piece done waits behind the others for the next one.
package struct PieceQueue {
    /// Does the next piece, and returns whether there was one.
    ///
    /// It is no plain closure: a queue, which is generic, wraps that anew each time that it comes
    /// back, until a call goes deeper than the stack.
    package struct Work {
        package let doNext: () -> Bool
    }

    private var waiting = Fifo<Work>()

    package init() {}

    package var isEmpty: Bool { waiting.isEmpty }

    package mutating func add(_ doNext: @escaping () -> Bool) {
        waiting.append(Work(doNext: doNext))
    }

    /// Takes the work whose turn it is.
    package mutating func next() -> Work? { waiting.popFirst() }

    /// Puts work back that has pieces left.
    package mutating func putBack(_ work: Work) {
        waiting.append(work)
    }
}
