import SeededRandom
package import SyncLayout
package import SyncModel

/// The numbers of a random input. The seed chooses the kind of most of them, so that many inputs
/// are exact and many are not.
package struct RandomNumbers: RandomNumberGenerator {
    private var random: SplitMix64
    private let grain: Grain
    /// The numbers that replace some others; empty unless the input is hostile.
    private let hostile: [Double]

    private enum Grain {
        case whole, quarters, thirds, tenths, any
        /// A little beside whole numbers: by less than the layouts' tolerance of 1e-6, or by more.
        case nearlyWhole
    }

    package init(seed: UInt64, hostile isHostile: Bool) {
        random = SplitMix64(seed: seed)
        grain =
            random.pick(weighted: [
                .whole: 2, .quarters: 4, .thirds: 1, .tenths: 1, .any: 1, .nearlyWhole: 1,
            ]) ?? .whole
        guard isHostile else {
            hostile = []
            return
        }
        var numbers = [0, 0, -0.0, -1, -37.5, .nan, -.nan, .infinity, -.infinity]
        if random.chance(40) {
            numbers += [.leastNonzeroMagnitude, 1e-300, 1e-9, 1e-7, -1e-9, 1e6, 1e9, 1e12]
            numbers += [9e-7, 1.1e-6]
        }
        if random.chance(25) {
            numbers += [
                1e17, 1e300, -1e300, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
            ]
        }
        hostile = numbers
    }

    package var isHostile: Bool { !hostile.isEmpty }

    package mutating func next() -> UInt64 { random.next() }

    /// A number in a range; in a hostile input, sometimes a number of another kind.
    package mutating func number(_ range: ClosedRange<Int>) -> Double {
        if let hostile = random.pick(hostile), chance(15) { return hostile }
        return usual(range)
    }

    /// A number in a range, including its ends.
    package mutating func usual(_ range: ClosedRange<Int>) -> Double {
        if chance(5), range.contains(0) { return 0 }
        let whole = range.lowerBound + below(range.count)
        guard whole < range.upperBound else { return Double(whole) }
        switch grain {
        case .whole: return Double(whole)
        case .quarters: return Double(whole) + Double(below(4)) / 4
        case .thirds: return Double(whole) + Double(below(3)) / 3
        case .tenths: return Double(whole) + Double(below(10)) / 10
        case .nearlyWhole:
            // No small sum of these is just at the tolerance.
            return Double(whole) + (pick([0, 0, 4e-7, 1.7e-6]) ?? 0)
        case .any: return Double(whole) + Double.random(in: 0..<1, using: &random)
        }
    }

    package mutating func size(
        _ widths: ClosedRange<Int>, _ heights: ClosedRange<Int>
    ) -> ListSize {
        ListSize(width: number(widths), height: number(heights))
    }

    package mutating func insets(_ range: ClosedRange<Int>) -> Insets {
        Insets(
            top: number(range), left: number(range), bottom: number(range), right: number(range))
    }

    package mutating func point(_ range: ClosedRange<Int>) -> ListPoint {
        ListPoint(x: number(range), y: number(range))
    }
}
