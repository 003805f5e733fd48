import CMemory
import SyncTree

/// Short byte strings – ids and contents – in one piece of memory, named by 32-bit references.
///
/// A blob has a header of four bytes – 24 bits of length, 8 bits for its owner's use – and its
/// bytes. Its size is rounded up to a size class. Each class has a list of freed blobs, which are
/// used again for blobs of that class. Blobs never move within the store. A reference is the blob's
/// place in units of eight bytes, so there is room for 32 GiB.
///
/// Classes are eight bytes apart up to 512 bytes and then four to a doubling, so at most a fifth of
/// a blob is lost to rounding.
final class BlobStore {
    typealias Reference = UInt32

    /// The most bytes that one blob can have.
    static let maximumLength = 1 << 24 - 1

    /// The most bytes that references can address.
    private static let maximumBytes = Int(Reference.max) * unit

    /// The most bytes that it grows by at once.
    private static let largestStep = 1 << 30

    private static let headerBytes = 4
    private static let unit = 8
    private static let fineClasses = 64
    private static let classCount = fineClasses + 4 * 16

    @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity = 1 << 9
    /// Where the next fresh blob goes; the first unit is never used, so that 0 means "none".
    @exclusivity(unchecked) private var end = unit
    /// The first free blob of each class; a free blob has the next one's reference in it.
    private let free: UnsafeMutablePointer<Reference>

    /// The most bytes that a blob ever had.
    @exclusivity(unchecked) private(set) var largestLength = 0

    /// Notified of growth.
    private let fill: FillGauge?

    init(_ fill: FillGauge? = nil) {
        self.fill = fill
        memory = SlabMemory.make(bytes: capacity)
        free = .allocate(capacity: BlobStore.classCount)
        free.initialize(repeating: 0, count: BlobStore.classCount)
    }

    deinit {
        free.deallocate()
        SlabMemory.release(memory, bytes: capacity)
    }

    /// Makes a blob with eight bits of the caller's. The caller has to write its bytes.
    @inline(__always)
    func make(length: Int, tag: UInt8) -> Reference {
        precondition(length <= BlobStore.maximumLength, "content is bounded before it comes here")
        let (size, sizeClass) = BlobStore.rounded(length + BlobStore.headerBytes)
        if length > largestLength { largestLength = length }
        let reference: Reference
        if free[sizeClass] != 0 {
            reference = free[sizeClass]
            free[sizeClass] = address(reference).load(as: Reference.self)
        } else {
            if end + size > capacity { grow(size) }
            reference = Reference(end / BlobStore.unit)
            end += size
        }
        address(reference).storeBytes(of: UInt32(length) << 8 | UInt32(tag), as: UInt32.self)
        return reference
    }

    /// Where the bytes of a blob start; valid until the next blob is made.
    @inline(__always)
    func start(of reference: Reference) -> UnsafeMutableRawPointer {
        address(reference) + BlobStore.headerBytes
    }

    /// The memory that is in use or was used.
    var byteCount: Int { end }

    /// The memory that a blob takes, without what a large one loses to rounding; 0 for reference 0.
    @inline(__always)
    func size(_ reference: Reference) -> Int {
        guard reference != 0 else { return 0 }
        let length = Int(address(reference).load(as: UInt32.self) >> 8)
        return (length + BlobStore.headerBytes + BlobStore.unit - 1) & ~(BlobStore.unit - 1)
    }

    func remove(_ reference: Reference) {
        guard reference != 0 else { return }
        let blob = address(reference)
        let length = Int(blob.load(as: UInt32.self) >> 8)
        let (_, sizeClass) = BlobStore.rounded(length + BlobStore.headerBytes)
        blob.storeBytes(of: free[sizeClass], as: Reference.self)
        free[sizeClass] = reference
    }

    /// The bytes of a blob, none for reference 0; valid until the next one is made.
    @inline(__always)
    func bytes(_ reference: Reference) -> UnsafeRawBufferPointer {
        guard reference != 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let blob = address(reference)
        let length = Int(blob.load(as: UInt32.self) >> 8)
        return UnsafeRawBufferPointer(start: blob + BlobStore.headerBytes, count: length)
    }

    /// Prefetches the start of a blob, or all of it if it is short.
    @inline(__always)
    func prefetchBlob(_ reference: Reference) {
        let blob = address(reference)
        prefetch(blob)
        prefetch(blob + 56)
    }

    /// The caller's eight bits, 0 for reference 0.
    @inline(__always)
    func tag(_ reference: Reference) -> UInt8 {
        guard reference != 0 else { return 0 }
        return UInt8(truncatingIfNeeded: address(reference).load(as: UInt32.self))
    }

    @inline(__always)
    private func address(_ reference: Reference) -> UnsafeMutableRawPointer {
        memory + Int(reference) * BlobStore.unit
    }

    /// The size of a blob of this many bytes, and the class of that size.
    @inline(__always)
    private static func rounded(_ bytes: Int) -> (size: Int, sizeClass: Int) {
        let units = (bytes + unit - 1) / unit
        if units < fineClasses { return (units * unit, units) }
        return roundedCoarsely(units)
    }

    private static func roundedCoarsely(_ units: Int) -> (size: Int, sizeClass: Int) {
        let doubling = Int.bitWidth - 1 - (units - 1).leadingZeroBitCount
        let step = 1 << (doubling - 2)
        let steps = (units - 1 - 1 << doubling) / step + 1
        let size = 1 << doubling + steps * step
        return (size * unit, fineClasses + (doubling - 5) * 4 + steps - 1)
    }

    @inline(never)
    private func grow(_ size: Int) {
        let old = capacity
        // The engine refuses to grow long before that.
        precondition(end + size <= BlobStore.maximumBytes, "a room holds 32 GiB at most")
        let step = min(capacity, BlobStore.largestStep)
        capacity = min(max(capacity + step, end + size), BlobStore.maximumBytes)
        memory = SlabMemory.grow(memory, bytes: old, to: capacity)
        fill?.noteGrowth(contentBytes: end + size)
    }
}
