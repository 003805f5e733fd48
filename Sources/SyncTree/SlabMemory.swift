import Glibc

/// Memory for slabs: grows by doubling, and consists of huge pages where it is large.
///
/// A slab of a million records is read at random. With pages of 4 KiB every such read also misses
/// the processor's table of pages; with pages of 2 MiB it hardly ever does. Large memory comes
/// straight from the system and goes back to it, so that growing leaves no holes behind.
package enum SlabMemory {
    private static let hugePage = 2 << 20
    private static let large = 2 * hugePage

    /// Makes memory that is not initialized; what is not written takes none.
    package static func make(bytes: Int) -> UnsafeMutableRawPointer {
        bytes >= large ? map(bytes) : .allocate(byteCount: bytes, alignment: 64)
    }

    /// Gives memory back that was made with so many bytes.
    package static func release(_ memory: UnsafeMutableRawPointer, bytes: Int) {
        if bytes >= large {
            munmap(memory, rounded(bytes))
        } else {
            memory.deallocate()
        }
    }

    /// Makes larger memory that starts with what `memory` holds, and gives that back.
    package static func grow(
        _ memory: UnsafeMutableRawPointer, bytes: Int, to largerBytes: Int
    ) -> UnsafeMutableRawPointer {
        let larger = make(bytes: largerBytes)
        larger.copyMemory(from: memory, byteCount: bytes)
        release(memory, bytes: bytes)
        return larger
    }

    private static func rounded(_ bytes: Int) -> Int {
        (bytes + hugePage - 1) / hugePage * hugePage
    }

    /// Maps a whole number of huge pages where a huge page may begin: a huge page more, less what
    /// stands over on both sides.
    private static func map(_ bytes: Int) -> UnsafeMutableRawPointer {
        let size = rounded(bytes)
        let mapped = mmap(
            nil, size + hugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else { preconditionFailure("out of memory") }
        let address = UInt(bitPattern: mapped)
        let head = Int((UInt(hugePage) - address % UInt(hugePage)) % UInt(hugePage))
        if head > 0 { munmap(mapped, head) }
        let tail = hugePage - head
        if tail > 0 { munmap(mapped + head + size, tail) }
        madvise(mapped + head, size, MADV_HUGEPAGE)
        return mapped + head
    }
}
