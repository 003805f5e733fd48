import CMemory
import Glibc

/// Memory for slabs. It grows by doubling, and consists of huge pages if it is large.
///
/// A slab of a million records is read at random. With pages of 4 KiB every such read also misses
/// the processor's table of pages; with pages of 2 MiB it hardly ever does. All but the smallest
/// memory comes straight from the system and goes back to it, so that growing leaves no holes
/// behind. Huge pages are moved when their slab grows, not copied.
package enum SlabMemory {
    private static let hugePage = 2 << 20
    /// From this size on memory is mapped.
    private static let mapped = 64 << 10
    /// From this size on it consists of huge pages.
    private static let huge = 2 * hugePage

    /// Allocates uninitialized memory. Mapped pages that are never written take no memory.
    package static func make(bytes: Int) -> UnsafeMutableRawPointer {
        if bytes < mapped { return .allocate(byteCount: bytes, alignment: 64) }
        return bytes < huge ? map(bytes) : mapHugePages(bytes)
    }

    /// Whether memory of this size is zero where nothing was written yet, also after it grew to
    /// this size. There, writing zeros is a waste of time and memory.
    package static func isZero(bytes: Int) -> Bool { bytes >= mapped }

    /// Frees memory that was made with this size.
    package static func release(_ memory: UnsafeMutableRawPointer, bytes: Int) {
        if bytes < mapped {
            memory.deallocate()
        } else {
            munmap(memory, bytes < huge ? bytes : rounded(bytes))
        }
    }

    /// Allocates larger memory, moves the content of `memory` to its start, and frees `memory`.
    package static func grow(
        _ memory: UnsafeMutableRawPointer, bytes: Int, to largerBytes: Int
    ) -> UnsafeMutableRawPointer {
        let larger = make(bytes: largerBytes)
        if bytes >= huge, remap(memory, rounded(bytes), larger, rounded(largerBytes)) {
            return larger
        }
        larger.copyMemory(from: memory, byteCount: bytes)
        release(memory, bytes: bytes)
        return larger
    }

    private static func rounded(_ bytes: Int) -> Int {
        (bytes + hugePage - 1) / hugePage * hugePage
    }

    private static func map(_ bytes: Int) -> UnsafeMutableRawPointer {
        let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { preconditionFailure("out of memory") }
        return memory
    }

    /// Maps a whole number of huge pages, aligned as huge pages must be. It maps one page too many,
    /// and unmaps what is left over on both sides.
    private static func mapHugePages(_ bytes: Int) -> UnsafeMutableRawPointer {
        let size = rounded(bytes)
        let memory = map(size + hugePage)
        let address = Int(bitPattern: memory)
        let head = (hugePage - address % hugePage) % hugePage
        if head > 0 { munmap(memory, head) }
        munmap(memory + head + size, hugePage - head)
        madvise(memory + head, size, MADV_HUGEPAGE)
        return memory + head
    }
}
