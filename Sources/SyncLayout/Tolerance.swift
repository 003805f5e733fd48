/// Numbers that are sums of lengths. Their last bits depend on how they are computed, so choices by
/// them allow for a tolerance ("Numbers" in layouts.md).
extension Double {
    /// By how much sums may differ and count as equal.
    static let tolerance = 1e-6

    /// The greatest whole number that is not above it; one that is barely above it counts, too.
    var wholeBelow: Double { (self + Double.tolerance).rounded(.down) }

    /// The least whole number that is not below it; one that is barely below it counts, too.
    var wholeAbove: Double { (self - Double.tolerance).rounded(.up) }

    /// The nearest whole number; of two, the one farther from 0.
    var nearestWhole: Double {
        // A difference of equal numbers is 0, and never −0.
        self < 0 ? 0 - (0.5 - self).wholeBelow : (self + 0.5).wholeBelow
    }

    /// How many equal lengths fit into it with a gap between each two: at least 1, and infinitely
    /// many if both are 0.
    func count(ofLength length: Double, gap: Double) -> Double {
        let pitch = length + gap
        guard pitch > 0 else { return .infinity }
        return max(1, ((self + gap + Double.tolerance) / pitch).rounded(.down))
    }
}
