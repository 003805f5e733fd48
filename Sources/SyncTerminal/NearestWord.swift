/// Finds the known word that a misspelled one probably means.
package enum NearestWord {
    /// With more mistakes than this it is another word.
    private static let mostMistakes = 2

    /// The word that is nearest to `written`; `nil` if none is near.
    package static func among(_ words: some Sequence<String>, to written: String) -> String? {
        let near = words.map { (word: $0, mistakes: mistakes(in: Array(written), for: Array($0))) }
            .min { $0.mistakes < $1.mistakes }
        // Two mistakes in a short word leave too little of it.
        guard let near, near.mistakes <= min(mostMistakes, near.word.count / 2) else { return nil }
        return near.word
    }

    /// The number of missing, extra, wrong and swapped characters. O(nm).
    private static func mistakes(in written: [Character], for word: [Character]) -> Int {
        // A word this long is no misspelled command.
        guard written.count <= 64 else { return .max }
        var before: [Int] = []
        var row = Array(0...word.count)
        for (index, character) in written.enumerated() {
            var next = [index + 1]
            for (column, other) in word.enumerated() {
                var least = min(row[column + 1], next[column]) + 1
                least = min(least, row[column] + (character == other ? 0 : 1))
                if index > 0, column > 0, character == word[column - 1],
                    written[index - 1] == other
                {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[word.count]
    }
}
