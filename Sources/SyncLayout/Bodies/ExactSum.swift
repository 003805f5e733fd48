/// A sum of lengths that does not depend on the order in which they were added: what rounding takes
/// from it is kept beside it.
///
/// So a layout that followed many edits is to the last bit what one made anew is, and rounding to
/// pixels makes the same of both. It is exact as long as the lengths' digits are not more than two
/// numbers hold, which leaves lengths of 1e-6 to 1e6 points room for billions of them.
///
/// # Performance
/// Adding takes six additions, of which one waits for the one before.
struct ExactSum {
    private var sum = 0.0
    /// What was lost in ``sum``.
    private var rest = 0.0

    /// The sum, rounded once.
    var value: Double {
        let value = sum + rest
        // Beyond the largest number nothing is left to be exact about.
        return value.isFinite ? value : sum
    }

    var isFinite: Bool { sum.isFinite && rest.isFinite }

    static func += (left: inout ExactSum, right: Double) {
        let sum = left.sum + right
        let added = sum - left.sum
        left.rest += (left.sum - (sum - added)) + (right - added)
        left.sum = sum
    }

    static func += (left: inout ExactSum, right: ExactSum) {
        left += right.sum
        left.rest += right.rest
    }

    static func - (left: ExactSum, right: ExactSum) -> ExactSum {
        var difference = left
        difference += -right.sum
        difference.rest -= right.rest
        return difference
    }
}
