/// Makes the layout's decisions that change abruptly with a number, and records when a number was
/// so close to the threshold that rounding may turn the decision.
///
/// Two sums that are equal on paper often differ in their last bits. So the thresholds are not at
/// whole numbers, halves and other sums, but 1e-6 beside them. There, a number is seldom close.
final class Decisions {
    /// How far below a whole number, or above another sum, a number still counts as equal to it.
    private static let tolerance = 1e-6

    /// Whether a number was just beside a threshold.
    private(set) var wereClose = false
    /// Whether two numbers were equal to the last bit, where rounding errors may be larger than the
    /// tolerance. Only if there are such errors, the decision is in doubt.
    private(set) var wereEqual = false
    /// The largest number that was added to others; rounding errors are a part of it.
    private(set) var largest = 1.0
    /// The largest number that decides about lines and columns. They do not depend on how long the
    /// content is along the scroll axis.
    private var largestAcross = 1.0

    /// Records a number that is added to others.
    func meet(_ value: Double) {
        if abs(value) > largest { largest = abs(value) }
    }

    /// Records a number that lengths across the scroll axis are sums of.
    func meetAcross(_ value: Double) {
        meet(value)
        if abs(value) > largestAcross { largestAcross = abs(value) }
    }

    // MARK: Lines, columns and segments

    /// The greatest whole number that is not above the value, which may be slightly too small.
    func floor(_ value: Double) -> Double {
        floor(value, sumOf: largestAcross)
    }

    /// The least whole number that is not below the value, which may be slightly too large.
    func ceil(_ value: Double) -> Double {
        -floor(-value)
    }

    /// Whether a sum is at most another one, or is larger by no more than the tolerance.
    func isAtMost(_ first: Double, _ second: Double) -> Bool {
        note(
            first - second - Decisions.tolerance, isEqual: first == second,
            sumOf: max(largestAcross, abs(first)))
        return first <= second + Decisions.tolerance
    }

    /// The greatest number of equal lengths that fit into a room with a gap between each two, but
    /// at least 1; infinite if they take no room.
    func count(of length: Double, gap: Double, in room: Double) -> Double {
        guard length + gap > 0 else { return .infinity }
        func rest(_ count: Double) -> Double {
            room + Decisions.tolerance - count * length - (count - 1) * gap
        }
        let most = ((room + Decisions.tolerance + gap) / (length + gap)).rounded(.down)
        let magnitude = max(largestAcross, room, gap)
        if let close = [most, most + 1].map(rest).first(where: { abs($0) <= magnitude * 1e-13 }) {
            note(close, isEqual: false, sumOf: magnitude)
        }
        return max(1, most)
    }

    // MARK: Frames

    /// A coordinate at the nearest pixel, half away from zero.
    func rounded(_ value: Double, pixelScale: Double) -> Double {
        let pixels = value * pixelScale
        let magnitude = largest * max(1, pixelScale)
        let whole =
            pixels < 0
            ? -floor(0.5 - pixels, sumOf: magnitude) : floor(pixels + 0.5, sumOf: magnitude)
        return whole / pixelScale
    }

    /// Whether a distance is less than a reach by more than the tolerance.
    func isWithin(_ distance: Double, _ reach: Double) -> Bool {
        note(
            distance - reach + Decisions.tolerance, isEqual: distance == reach,
            sumOf: max(largest, abs(distance)))
        return distance < reach - Decisions.tolerance
    }

    // MARK: Rounding errors

    /// - Parameter magnitude: the largest number that the value is a sum of.
    private func floor(_ value: Double, sumOf magnitude: Double) -> Double {
        // A whole number more or less is no difference at this size.
        if abs(value) < 1e12 {
            // The nearest threshold is just below this whole number.
            let whole = (value + Decisions.tolerance).rounded()
            note(
                value - whole + Decisions.tolerance, isEqual: value == whole,
                sumOf: max(magnitude, abs(value)))
        }
        let below = value.rounded(.down)
        // The difference is exact.
        return below + 1 - value <= Decisions.tolerance ? below + 1 : below
    }

    /// Records how far a number is from its threshold.
    ///
    /// - Parameter magnitude: the largest number that it is a sum of.
    private func note(_ distance: Double, isEqual: Bool, sumOf magnitude: Double) {
        guard abs(distance) <= magnitude * 1e-13 else { return }
        if isEqual { wereEqual = true } else { wereClose = true }
    }
}
