import SyncModel
import SyncTree

/// When the sections of an image lived, by the sequences of their items.
///
/// A section may die and be brought back with the same sequence, so a sequence may have several
/// lives. Moves do not interrupt a life.
struct SectionLives {
    private struct Life {
        var start: Revision
        var end: Revision
    }

    /// By sequence: the latest life.
    private var latest: [Life]
    /// By sequence: the lives before that one, later ones first. Few sections are brought back.
    private var earlier: [OrderTree.SequenceID: [Life]] = [:]

    /// How many lives are not the latest ones.
    private var earlierCount = 0

    /// The memory it takes, about.
    var byteCount: Int {
        latest.capacity * MemoryLayout<Life>.stride + earlierCount * SectionLives.bytesOfEarlier
    }

    /// An earlier life may be alone in an array, with an entry in a dictionary.
    private static let bytesOfEarlier = 96

    /// - Parameter sequences: one more than the highest number of a sequence.
    init(sequences: Int) {
        // A sequence without a section has no life.
        latest = Array(repeating: Life(start: .max, end: 0), count: sequences)
    }

    /// Adds the time of a section's node. Nodes of a sequence come in turn, the latest first.
    mutating func add(from start: Revision, to end: Revision, of sequence: OrderTree.SequenceID) {
        let index = Int(sequence)
        if latest[index].start == .max {
            latest[index] = Life(start: start, end: end)
        } else if var lives = earlier.removeValue(forKey: sequence) {
            if lives[lives.count - 1].start == end {
                lives[lives.count - 1].start = start
            } else {
                lives.append(Life(start: start, end: end))
                earlierCount += 1
            }
            earlier[sequence] = lives
        } else if latest[index].start == end {
            latest[index].start = start
        } else {
            earlier[sequence] = [Life(start: start, end: end)]
            earlierCount += 1
        }
    }

    /// Whether a section lived all the time between two revisions.
    ///
    /// # Performance
    /// O(log k) for k lives.
    func contains(
        from start: Revision, to end: Revision, in sequence: OrderTree.SequenceID
    ) -> Bool {
        let life = latest[Int(sequence)]
        if life.start <= start { return end <= life.end }
        guard let lives = earlier[sequence] else { return false }
        var (low, high) = (0, lives.count)
        while low < high {
            let middle = (low + high) / 2
            if lives[middle].start <= start { high = middle } else { low = middle + 1 }
        }
        return low < lives.count && end <= lives[low].end
    }
}
