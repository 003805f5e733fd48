/// Finds the shortest of many columns, the leftmost of several: a tournament, in which each column
/// plays against its neighbour, the shorter against the next winner, and so on.
///
/// # Performance
/// Beginning takes O(c) for c columns; after one has grown, O(log c). A column's scan of all would
/// take O(c) for each item.
struct ShortestColumn {
    /// Below this many columns looking at all of them is as fast.
    static let fewColumns = 16

    private let tops: UnsafeMutableBufferPointer<Double>
    /// The winner of each game, the last game's at 1; from `leaves` on, the columns.
    private let winners: UnsafeMutableBufferPointer<Int32>
    private let leaves: Int

    /// How much room `winners` needs for so many columns.
    static func capacity(columns: Int) -> Int {
        var leaves = 1
        while leaves < columns { leaves *= 2 }
        return 2 * leaves
    }

    /// - Parameters:
    ///   - tops: how long the columns are.
    ///   - winners: memory for ``capacity(columns:)`` numbers.
    init(
        _ tops: UnsafeMutableBufferPointer<Double>,
        _ winners: UnsafeMutableBufferPointer<Int32>
    ) {
        self.tops = tops
        self.winners = winners
        leaves = winners.count / 2
        for leaf in 0..<leaves {
            winners.initializeElement(at: leaves + leaf, to: Int32(leaf < tops.count ? leaf : -1))
        }
        winners.initializeElement(at: 0, to: 0)
        for game in (1..<max(leaves, 1)).reversed() {
            winners.initializeElement(at: game, to: 0)
            play(game)
        }
    }

    /// The shortest column.
    var index: Int { leaves > 1 ? Int(winners[1]) : 0 }

    /// Takes note that a column is longer now.
    @inline(__always)
    func didGrow(_ column: Int) {
        var game = (leaves + column) / 2
        while game > 0 {
            play(game)
            game /= 2
        }
    }

    @inline(__always)
    private func play(_ game: Int) {
        let left = winners[2 * game]
        let right = winners[2 * game + 1]
        // On the right there may be no column, on the left only where there is none on the right
        // either.
        let isRight = right >= 0 && tops[Int(right)] < tops[Int(left)]
        winners[game] = isRight ? right : left
    }
}
