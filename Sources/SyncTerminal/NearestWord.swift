/// Which of a few words somebody may have meant who has written another one.
package enum NearestWord {
    /// With more mistakes than this it is another word.
    private static let mostMistakes = 2

    /// The word that is nearest to `written`; `nil` if none is near.
    package static func among(_ words: some Sequence<String>, to written: String) -> String? {
        let near = words.map { (word: $0, mistakes: mistakes(in: Array(written), for: Array($0))) }
            .min { $0.mistakes < $1.mistakes }
        // Of a short word two mistakes leave nothing.
        guard let near, near.mistakes <= min(mostMistakes, near.word.count / 2) else { return nil }
        return near.word
    }

    /// How many characters are missing, too many, other ones, or exchanged with their neighbours.
    /// O(nm).
    private static func mistakes(in written: [Character], for word: [Character]) -> Int {
        // Nobody means a command with this.
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
