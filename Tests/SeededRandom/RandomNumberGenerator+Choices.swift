/// What tests ask of chance. What makes random values of its own takes these over by conforming.
extension RandomNumberGenerator {
    /// A number from 0 up to, but not including, `count`; 0 for a count of 0.
    @inlinable package mutating func below(_ count: Int) -> Int {
        Int(next() % UInt64(max(count, 1)))
    }

    /// True in `percent` of a hundred cases.
    @inlinable package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// One of several, or `nil` if there is none.
    @inlinable package mutating func pick<Element>(_ choices: [Element]) -> Element? {
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

    /// One of the cases of a type.
    package mutating func pick<Choice: CaseIterable>(_ choices: Choice.Type) -> Choice
    where Choice.AllCases == [Choice] {
        choices.allCases[below(choices.allCases.count)]
    }

    /// One of the cases of a type, with different weights.
    package mutating func pick<Choice: CaseIterable>(
        _ choices: Choice.Type, weight: (Choice) -> Int
    ) -> Choice? {
        var at = below(choices.allCases.reduce(0) { $0 + weight($1) })
        return choices.allCases.first { choice in
            at -= weight(choice)
            return at < 0
        }
    }
}
