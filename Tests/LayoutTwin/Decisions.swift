/// Makes the layout's decisions that change abruptly with a number, and records when a number was
/// so close to the threshold that rounding may turn the decision.
final class Decisions {
    /// Whether a number was just beside a threshold.
    private(set) var wereClose = false
    /// The largest number that was added to others; rounding errors are a part of it.
    private(set) var largest = 1.0
    /// Whether a number was exactly at a threshold: halfway when it was rounded, or at the end of a
    /// reach.
    private(set) var wereExactlyThere = false

    /// Records a number that is added to others.
    func meet(_ value: Double) {
        if abs(value) > largest { largest = abs(value) }
    }

    func floor(_ value: Double) -> Double {
        note(value, besideTurn: value.rounded())
        return value.rounded(.down)
    }

    func ceil(_ value: Double) -> Double {
        note(value, besideTurn: value.rounded())
        return value.rounded(.up)
    }

    /// The nearest whole number, half away from zero.
    func rounded(_ value: Double) -> Double {
        let half = value.rounded(.down) + 0.5
        if value == half { wereExactlyThere = true }
        note(value, besideTurn: half)
        return value.rounded(.toNearestOrAwayFromZero)
    }

    func isLess(_ first: Double, _ second: Double) -> Bool {
        note(first, besideTurn: second)
        return first < second
    }

    func isWithin(_ distance: Double, _ reach: Double) -> Bool {
        if distance == reach { wereExactlyThere = true }
        return isLess(distance, reach)
    }

    func isAtMost(_ first: Double, _ second: Double) -> Bool {
        note(first, besideTurn: second)
        return first <= second
    }

    /// Records a number near a threshold. Numbers so large that rounding is coarser than 1 are
    /// never close.
    private func note(_ value: Double, besideTurn turn: Double) {
        guard value != turn, abs(value) < 1e12 else { return }
        if abs(value - turn) <= max(largest, abs(value)) * 1e-13 { wereClose = true }
    }
}
