import SyncModel

/// Makes a history that fails shorter as long as it still fails.
///
/// It leaves out steps, then operations and guards. A transaction that is left out makes no
/// revision, so later bases and guards get lower. Any failure counts, not only the first one met.
package struct HistoryShrinker {
    /// What is wrong after some steps, if anything is.
    private let failure: ([HistoryStep]) -> Difference?

    package init(failure: @escaping ([HistoryStep]) -> Difference?) { self.failure = failure }

    /// Makes a shrinker that plays the steps to an engine and to a twin.
    package init<Tested: CollectionEngine>(make: @escaping () -> Tested) {
        self.init { steps in
            let player = HistoryPlayer(make())
            for step in steps {
                do throws(Difference) {
                    try player.play(step)
                } catch {
                    return error
                }
            }
            return nil
        }
    }

    /// The shortest history found, and its difference; `nil` if the history does not fail.
    package func shrink(
        _ steps: [HistoryStep]
    ) -> (steps: [HistoryStep], difference: Difference)? {
        guard var difference = failure(steps) else { return nil }
        var shortest = steps
        var isShrinking = true
        while isShrinking {
            isShrinking = leaveOutSteps(&shortest, &difference)
            if leaveOutOperations(&shortest, &difference) { isShrinking = true }
            if leaveOutGuards(&shortest, &difference) { isShrinking = true }
        }
        return (shortest, difference)
    }

    private func leaveOutSteps(
        _ shortest: inout [HistoryStep], _ difference: inout Difference
    ) -> Bool {
        var isShorter = false
        var length = max(shortest.count / 2, 1)
        while length >= 1 {
            var end = shortest.count
            while end > 0 {
                let range = max(end - length, 0)..<end
                end = range.lowerBound
                let steps = HistoryShrinker.leavingOut(range, of: shortest)
                guard let found = failure(steps) else { continue }
                (shortest, difference) = (steps, found)
                isShorter = true
            }
            length /= 2
        }
        return isShorter
    }

    private static func leavingOut(
        _ range: Range<Int>, of steps: [HistoryStep]
    ) -> [HistoryStep] {
        let made = revisions(of: steps)
        var steps = steps
        for index in range.reversed() {
            steps.remove(at: index)
            guard let gone = made[index] else { continue }
            for later in index..<steps.count { steps[later] = steps[later].without(gone) }
        }
        return steps
    }

    /// For each step the revision it makes, if it makes one.
    private static func revisions(of steps: [HistoryStep]) -> [Revision?] {
        let twin = Twin()
        return steps.map { step in
            switch step {
            case .submit(let transaction, let author):
                return (try? twin.submit(transaction, by: author))?.revision
            case .advanceHorizon(let revision):
                twin.advanceHorizon(to: revision)
                return nil
            case .reload, .compare: return nil
            }
        }
    }

    private func leaveOutOperations(
        _ shortest: inout [HistoryStep], _ difference: inout Difference
    ) -> Bool {
        var isShorter = false
        for index in shortest.indices.reversed() {
            guard case .submit(var transaction, let author) = shortest[index] else { continue }
            for operation in transaction.operations.indices.reversed()
            where transaction.operations.count > 1 {
                var shorter = transaction
                shorter.operations.remove(at: operation)
                let step = HistoryStep.submit(shorter, by: author)
                guard take(step, at: index, &shortest, &difference) else { continue }
                transaction = shorter
                isShorter = true
            }
        }
        return isShorter
    }

    /// Leaves out guards, and that a transaction asks for all of its operations.
    private func leaveOutGuards(
        _ shortest: inout [HistoryStep], _ difference: inout Difference
    ) -> Bool {
        var isSimpler = false
        for index in shortest.indices {
            guard case .submit(var transaction, let author) = shortest[index] else { continue }
            func tryTaking(_ simpler: ListTransaction) {
                let step = HistoryStep.submit(simpler, by: author)
                guard simpler != transaction, take(step, at: index, &shortest, &difference)
                else { return }
                transaction = simpler
                isSimpler = true
            }
            for operation in transaction.operations.indices {
                var simpler = transaction
                simpler.operations[operation] = simpler.operations[operation].unguarded
                tryTaking(simpler)
            }
            var simpler = transaction
            simpler.isAllOrNothing = false
            tryTaking(simpler)
        }
        return isSimpler
    }

    /// Puts a step in another's place, if the history still fails.
    private func take(
        _ step: HistoryStep, at index: Int, _ shortest: inout [HistoryStep],
        _ difference: inout Difference
    ) -> Bool {
        var steps = shortest
        steps[index] = step
        guard let found = failure(steps) else { return false }
        (shortest, difference) = (steps, found)
        return true
    }
}
