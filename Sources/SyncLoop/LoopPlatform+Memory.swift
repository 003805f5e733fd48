import CMemory

extension LoopPlatform {
    /// Has the process give large blocks of memory back to the system when they are freed. The C
    /// library would keep blocks of up to 32 MiB for others of their size, so a flood that is over
    /// would stay in memory. Called before there are other threads.
    package static func giveLargeBlocksBack() {
        map_large_blocks(ownBlockBytes, keptBytes)
    }

    /// Blocks of this size and more are the system's.
    private static var ownBlockBytes: Int32 { 128 << 10 }
    /// So much may be free at the end of what smaller blocks come from.
    private static var keptBytes: Int32 { 1 << 20 }
}
