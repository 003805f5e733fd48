/// Makes the choices of a layout that jump where a number changes by a little, and notes when one
/// was so close that rounding may turn it.
final class Decisions {
    /// A number stood just beside where a choice turns.
    private(set) var wereClose = false
    /// The largest number that was added to others: rounding leaves a part of it.
    private(set) var largest = 1.0
    /// A number stood exactly where a choice turns: halfway where it was rounded, or at the end of
    /// a reach.
    private(set) var wereExactlyThere = false

    /// Takes note of a number that is added to others.
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

    /// Numbers so large that one more or less is nothing to them are never close.
    private func note(_ value: Double, besideTurn turn: Double) {
        guard value != turn, abs(value) < 1e12 else { return }
        if abs(value - turn) <= max(largest, abs(value)) * 1e-13 { wereClose = true }
    }
}
