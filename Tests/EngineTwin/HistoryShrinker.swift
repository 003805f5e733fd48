import SyncEngine

/// Makes a history that fails shorter as long as it still fails.
///
/// It leaves out steps, then operations; what it left out makes no revision, so later bases sink with
/// it. Any difference between engine and twin counts, not only the first one met.
struct HistoryShrinker<Tested: CollectionEngine> {
    let make: () -> Tested

    /// A run of a history up to its first difference.
    private struct Failure {
        var steps: [HistoryStep]
        var made: [Revision?]
        var difference: Difference
    }

    /// The shortest history found, and its difference; `nil` if the history does not fail.
    func shrink(_ steps: [HistoryStep]) -> (steps: [HistoryStep], difference: Difference)? {
        guard var shortest = run(steps) else { return nil }
        var isShrinking = true
        while isShrinking {
            isShrinking = leaveOutSteps(&shortest)
            if leaveOutOperations(&shortest) { isShrinking = true }
        }
        return (shortest.steps, shortest.difference)
    }

    private func run(_ steps: [HistoryStep]) -> Failure? {
        let player = HistoryPlayer(make())
        for step in steps {
            do throws(Difference) {
                try player.play(step)
            } catch {
                return Failure(steps: player.steps, made: player.made, difference: error)
            }
        }
        return nil
    }

    private func leaveOutSteps(_ shortest: inout Failure) -> Bool {
        var isShorter = false
        var length = max(shortest.steps.count / 2, 1)
        while length >= 1 {
            var end = shortest.steps.count
            while end > 0 {
                let range = max(end - length, 0)..<end
                end = range.lowerBound
                if let failure = run(leavingOut(range, of: shortest)) {
                    shortest = failure
                    isShorter = true
                    end = min(end, shortest.steps.count)
                }
            }
            length /= 2
        }
        return isShorter
    }

    private func leavingOut(_ range: Range<Int>, of failure: Failure) -> [HistoryStep] {
        var steps = failure.steps
        for index in range.reversed() {
            steps.remove(at: index)
            guard let gone = failure.made[index] else { continue }
            for later in index..<steps.count { steps[later] = steps[later].without(gone) }
        }
        return steps
    }

    private func leaveOutOperations(_ shortest: inout Failure) -> Bool {
        var isShorter = false
        for index in shortest.steps.indices.reversed() where index < shortest.steps.count {
            guard case .submit(let first, let author) = shortest.steps[index] else { continue }
            for operation in first.operations.indices.reversed() {
                guard index < shortest.steps.count,
                    case .submit(var transaction, _) = shortest.steps[index],
                    transaction.operations.count > 1
                else { break }
                var steps = shortest.steps
                transaction.operations.remove(at: operation)
                steps[index] = .submit(transaction, by: author)
                if let failure = run(steps) {
                    shortest = failure
                    isShorter = true
                }
            }
        }
        return isShorter
    }
}
