/// Finds the most things that can stay in order, so that the fewest move.
enum LongestRun {
    /// The positions of a longest strictly ascending run in `values`, ascending. O(n log n).
    ///
    /// Patience sorting: for each length the run of that length with the smallest end is kept.
    static func positions(in values: [Int]) -> [Int] {
        var ends: [Int] = []
        var before = [Int](repeating: -1, count: values.count)
        for (position, value) in values.enumerated() {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[position] = ends[low - 1] }
            if low == ends.count { ends.append(position) } else { ends[low] = position }
        }
        var run: [Int] = []
        var position = ends.last ?? -1
        while position >= 0 {
            run.append(position)
            position = before[position]
        }
        return run.reversed()
    }
}
