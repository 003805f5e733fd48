/// Finds the shortest of many columns. It is a tournament: each column
/// plays against its neighbour, the shorter one against the next winner, and so on.
///
/// # Performance
/// The start is O(c) for c columns, and an update after one has grown is O(log c). A scan of all
/// columns is O(c) for each item.
struct ShortestColumn {
    /// With fewer columns than this, a scan of all is as fast.
    static let fewColumns = 16

    private let tops: UnsafeMutableBufferPointer<Double>
    /// The winner of each game, the final's at index 1; the columns themselves from index `leaves`
    /// on.
    private let winners: UnsafeMutableBufferPointer<Int32>
    private let leaves: Int

    /// The length that `winners` needs for a number of columns.
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

    /// The shortest column: the leftmost of those that are no longer than the shortest one by more
    /// than the tolerance. O(log c).
    var index: Int {
        guard leaves > 1 else { return 0 }
        let limit = tops[Int(winners[1])] + Double.tolerance
        var game = 1
        while game < leaves {
            let left = winners[2 * game]
            game = 2 * game + (left >= 0 && tops[Int(left)] <= limit ? 0 : 1)
        }
        return game - leaves
    }

    /// Updates the tournament after a column has grown.
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
        // The right side may have no column. The left side has none only if the right side has none
        // either.
        let isRight = right >= 0 && tops[Int(right)] < tops[Int(left)]
        winners[game] = isRight ? right : left
    }
}
