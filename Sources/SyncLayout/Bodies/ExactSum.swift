/// A sum of lengths that does not depend on the order of the additions. It keeps the rounding
/// errors in a second number.
///
/// So a layout that has followed many edits equals a new one to the last bit, and rounding to
/// pixels gives the same result for both. The sum is exact as long as two numbers can represent its
/// digits. For lengths of 1e-6 to 1e6 points there is room for billions of additions.
///
/// # Performance
/// One addition takes six floating-point additions; only one of them has to wait for the one
/// before.
struct ExactSum {
    private var sum: Double
    /// The rounding errors of ``sum``.
    private var rest: Double

    /// Goes on from the ``parts`` of a sum.
    init(_ value: Double = 0, rest: Double = 0) {
        sum = value
        self.rest = rest
    }

    /// The sum, rounded once.
    var value: Double {
        let value = sum + rest
        // Beyond the largest number there are no digits left to correct.
        return value.isFinite ? value : sum
    }

    /// The sum, rounded once, and the rounding error of that.
    var parts: (value: Double, rest: Double) {
        let value = value
        return (value, rest - (value - sum))
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
