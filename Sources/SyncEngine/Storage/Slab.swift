import CMemory
import SyncTree

/// Records of one plain type, named by small numbers. Freed numbers are used again.
///
/// Number 0 is never given out: it stands for "none". A record's address may change with every
/// ``make(_:)``; numbers stay.
///
/// # Performance
/// Everything is O(1); growing is amortized.
final class Slab<Record: BitwiseCopyable> {
    @exclusivity(unchecked) private var records: UnsafeMutablePointer<Record>
    private var capacity: Int
    @exclusivity(unchecked) private var free = Stack<UInt32>()
    /// One more than the highest number ever given out.
    @exclusivity(unchecked) private(set) var end: UInt32 = 1

    /// Notified of growth.
    private let fill: FillGauge?

    init(none: Record, _ fill: FillGauge? = nil) {
        self.fill = fill
        capacity = 8
        records = SlabMemory.make(bytes: capacity * MemoryLayout<Record>.stride)
            .bindMemory(to: Record.self, capacity: capacity)
        records[0] = none
    }

    deinit {
        SlabMemory.release(records, bytes: capacity * MemoryLayout<Record>.stride)
    }

    /// The memory that is in use or was used.
    var byteCount: Int { Int(end) * MemoryLayout<Record>.stride + free.byteCount }

    /// How many records are in use.
    var count: Int { Int(end) - 1 - free.count }

    subscript(_ number: UInt32) -> Record {
        @inline(__always) get { records[Int(number)] }
        @inline(__always) _modify { yield &records[Int(number)] }
    }

    @inline(__always)
    func make(_ record: Record) -> UInt32 {
        if let number = free.popLast() {
            records[Int(number)] = record
            return number
        }
        if Int(end) == capacity { growRecords(to: 2 * capacity) }
        records[Int(end)] = record
        end += 1
        return end - 1
    }

    /// Frees a number. `tombstone` is its record until it is used again, so that code with a stale
    /// number can notice.
    func remove(_ number: UInt32, leaving tombstone: Record) {
        records[Int(number)] = tombstone
        free.append(number)
    }

    /// Prefetches a record.
    @inline(__always)
    func prefetchRecord(_ number: UInt32) {
        let record = UnsafeRawPointer(records + Int(number))
        prefetch(record)
        prefetch(record + MemoryLayout<Record>.size - 1)
    }

    /// The number that will be given out after `count` others. From `end` on, numbers were never
    /// used.
    @inline(__always)
    func number(after count: Int) -> UInt32 {
        count < free.count ? free[free.count - 1 - count] : end + UInt32(count - free.count)
    }

    /// Makes room for this many more records at once.
    func reserve(_ count: Int) {
        if Int(end) + count > capacity { growRecords(to: Int(end) + count) }
    }

    @inline(never)
    private func growRecords(to larger: Int) {
        records = SlabMemory.grow(
            records, bytes: capacity * MemoryLayout<Record>.stride,
            to: larger * MemoryLayout<Record>.stride
        ).bindMemory(to: Record.self, capacity: larger)
        capacity = larger
        fill?.noteGrowth(records: larger)
    }
}
