import Testing

@testable import SyncTree

@Suite("Memory of slabs")
struct SlabMemoryTests {
    /// It grows from the heap to mapped memory and then to huge pages. From there on pages are
    /// moved, not copied.
    @Test("its content stays when it grows")
    func growing() {
        var bytes = 1 << 12
        var memory = SlabMemory.make(bytes: bytes)
        var written = 0
        while bytes <= 40 << 20 {
            for word in stride(from: written, to: bytes / 8, by: 97) {
                memory.storeBytes(of: UInt64(word), toByteOffset: 8 * word, as: UInt64.self)
                written = word + 97
            }
            let larger = bytes * 5 / 2 / 8 * 8
            memory = SlabMemory.grow(memory, bytes: bytes, to: larger)
            bytes = larger
            let isKept = stride(from: 0, to: written, by: 97).allSatisfy {
                memory.load(fromByteOffset: 8 * $0, as: UInt64.self) == UInt64($0)
            }
            #expect(isKept, "\(bytes) bytes")
        }
        // All of it can be written.
        memory.storeBytes(of: 7, toByteOffset: bytes - 8, as: UInt64.self)
        SlabMemory.release(memory, bytes: bytes)
    }
}
