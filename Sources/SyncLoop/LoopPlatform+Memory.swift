import CMemory

extension LoopPlatform {
    /// Makes the process return large blocks of memory to the system when they are freed. By
    /// default the C library caches freed blocks of up to 32 MiB, so memory stays allocated after a
    /// flood. Called before other threads start.
    package static func giveLargeBlocksBack() {
        map_large_blocks(mappedBlockBytes, freeHeapBytes)
    }

    /// Blocks of at least this size are mapped on their own, and unmapped when they are freed.
    /// Smaller ones, such as the lists that a batch is composed from, are reused. The system clears
    /// each page that it maps; if each turn mapped its lists, a busy server would spend a fifth of
    /// its time on that.
    private static var mappedBlockBytes: Int32 { 1 << 20 }
    /// How much free memory the end of the heap may keep.
    private static var freeHeapBytes: Int32 { 4 << 20 }
}
