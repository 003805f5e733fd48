import SeededRandom
import SyncTree

/// Measures this machine's memory: the time of a read that depends on the read before it, at a
/// random place in far more memory than the caches have.
///
/// A look-up in a large room is a chain of such reads. So no engine can make more of them in a
/// second than this allows.
struct MemoryBenchmark {
    /// About the size of a room of 1,000,000 items.
    private static let bytes = 128 << 20
    private static let reads = 1_000_000

    /// Follows cache lines in random order; each has the index of the next one.
    static func secondsPerDependentRead(seed: UInt64) -> Double {
        let stride = 64 / MemoryLayout<UInt64>.stride
        let lines = bytes / 64
        let memory = SlabMemory.make(bytes: bytes)
        defer { SlabMemory.release(memory, bytes: bytes) }
        let words = memory.bindMemory(to: UInt64.self, capacity: lines * stride)
        var random = SplitMix64(seed: seed)
        // One cycle through all of them (Sattolo's shuffle).
        for line in 0..<lines { words[line * stride] = UInt64(line) }
        for line in (1..<lines).reversed() {
            let other = random.below(line)
            (words[line * stride], words[other * stride]) =
                (words[other * stride], words[line * stride])
        }
        var line = 0
        let watch = Stopwatch()
        for _ in 0..<reads { line = Int(words[line * stride]) }
        let seconds = watch.seconds
        precondition(line < lines, "the cycle leads nowhere else")
        return seconds / Double(reads)
    }
}
