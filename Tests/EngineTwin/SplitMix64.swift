/// A small generator whose whole state is its seed, so that a run can be played again anywhere.
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not including, `count`.
    package mutating func below(_ count: Int) -> Int {
        Int(next() % UInt64(max(count, 1)))
    }

    /// True in `percent` of a hundred cases.
    package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// One of several, or `nil` if there is none.
    package mutating func pick<Element>(_ choices: [Element]) -> Element? {
        choices.isEmpty ? nil : choices[below(choices.count)]
    }

    /// One of several with different weights.
    package mutating func pick<Element>(weighted choices: KeyValuePairs<Element, Int>) -> Element? {
        var at = below(choices.reduce(0) { $0 + $1.value })
        for (choice, weight) in choices {
            if at < weight { return choice }
            at -= weight
        }
        return nil
    }
}
