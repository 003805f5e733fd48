import SyncTree

/// What this machine's memory does at this time: how long a read takes that has to wait for the one
/// before it, somewhere in far more memory than the caches hold.
///
/// A look-up in a large room is a chain of such reads, so no engine makes more of them in a second
/// than this allows.
struct MemoryBenchmark {
    /// What a room of 1,000,000 items takes, roughly.
    private static let bytes = 128 << 20
    private static let reads = 1_000_000

    /// Walks through cache lines in random order, each of which says where the next one is.
    static func secondsPerDependentRead(seed: UInt64) -> Double {
        let stride = 64 / MemoryLayout<UInt64>.stride
        let lines = bytes / 64
        let memory = SlabMemory.make(bytes: bytes)
        defer { SlabMemory.release(memory, bytes: bytes) }
        let words = memory.bindMemory(to: UInt64.self, capacity: lines * stride)
        var random = SplitMix(state: seed)
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
