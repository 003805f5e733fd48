import CMemory
import SyncTree

/// Maps an id's bytes to a number: a hash table with open addressing, whose ids are stored
/// elsewhere.
///
/// A slot has an id's 32-bit hash beside its number. So a look-up reads an id's bytes only where
/// they almost surely match, and entries can be moved without reading any. Each process seeds its
/// hashes, so clients that choose ids can't choose collisions.
///
/// A full table is moved to a larger one step by step: each new id moves some slots. Meanwhile an
/// id is in one of the two tables. A moved entry leaves a mark in its former slot, so that entries
/// behind it are still found.
///
/// # Performance
/// O(1), expected; 8 bytes a slot at a load between 0.4 and 0.8. Only ``reserve(_:)`` moves more
/// than some slots in one call.
final class IdentifierTable {
    /// The hash in the upper half and the number in the lower; 0 is a free slot.
    @exclusivity(unchecked) private var slots: UnsafeMutablePointer<UInt64>
    @exclusivity(unchecked) private var mask: UInt32 = 15
    @exclusivity(unchecked) private(set) var count = 0
    private let seed: UInt64
    /// The former table, which is being emptied; `nil` where there is none.
    @exclusivity(unchecked) private var oldSlots: UnsafeMutablePointer<UInt64>?
    @exclusivity(unchecked) private var oldMask: UInt32 = 0
    /// The next slot of the former table to empty.
    @exclusivity(unchecked) private var oldNext: UInt32 = 0

    /// How many slots each new id moves. The former table is empty long before this one is full.
    private static let slotsAtOnce: UInt32 = 16
    /// The mark of an entry that was moved or removed; its number is 0.
    private static let goneMark = UInt64(UInt32.max) << 32

    /// The most bytes that an id takes in a large table that has just grown.
    static let mostBytesOfID = 20

    init() {
        slots = IdentifierTable.makeSlots(Int(mask) + 1)
        seed = UInt64(bitPattern: Int64("collsync".hashValue)) | 1
    }

    deinit {
        IdentifierTable.release(slots, mask)
        if let oldSlots { IdentifierTable.release(oldSlots, oldMask) }
    }

    private static func release(_ slots: UnsafeMutablePointer<UInt64>, _ mask: UInt32) {
        SlabMemory.release(slots, bytes: (Int(mask) + 1) * MemoryLayout<UInt64>.stride)
    }

    /// The memory it takes.
    var byteCount: Int {
        let slotCount = Int(mask) + 1 + (oldSlots == nil ? 0 : Int(oldMask) + 1)
        return slotCount * MemoryLayout<UInt64>.stride
    }

    /// A hash to use in the calls below.
    @inline(__always)
    func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var state = seed ^ (UInt64(truncatingIfNeeded: bytes.count) &* 0xA076_1D64_78BD_642F)
        guard let base = bytes.baseAddress else { return 0 }
        let count = bytes.count
        var at = 0
        while count - at > 16 {
            state = IdentifierTable.mix(
                (base + at).loadUnaligned(as: UInt64.self) ^ state,
                (base + at + 8).loadUnaligned(as: UInt64.self) ^ 0xE703_7ED1_A0B4_28DB)
            at += 16
        }
        let rest = count - at
        var low: UInt64 = 0
        var high: UInt64 = 0
        if rest >= 8 {
            low = (base + at).loadUnaligned(as: UInt64.self)
            high = (base + count - 8).loadUnaligned(as: UInt64.self)
        } else if rest >= 4 {
            low = UInt64((base + at).loadUnaligned(as: UInt32.self))
            high = UInt64((base + count - 4).loadUnaligned(as: UInt32.self))
        } else if rest > 0 {
            low = UInt64((base + at).load(as: UInt8.self))
            low |= UInt64((base + at + rest / 2).load(as: UInt8.self)) << 8
            high = UInt64((base + count - 1).load(as: UInt8.self))
        }
        return UInt32(
            truncatingIfNeeded: IdentifierTable.mix(low ^ state, high ^ 0x8EBC_6AF0_9C88_C6E3))
    }

    @inline(__always)
    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    /// The number entered under an id with this hash for which `isEqual` holds; 0 if there is none.
    @inline(__always)
    func find(_ hash: UInt32, _ isEqual: (UInt32) -> Bool) -> UInt32 {
        var slot = hash & mask
        while slots[Int(slot)] != 0 {
            if UInt32(truncatingIfNeeded: slots[Int(slot)] >> 32) == hash {
                let number = UInt32(truncatingIfNeeded: slots[Int(slot)])
                if isEqual(number) { return number }
            }
            slot = (slot &+ 1) & mask
        }
        if oldSlots == nil { return 0 }
        // Go on in the former table.
        slot = hash & oldMask
        while let number = nextOld(hash, &slot) {
            if isEqual(number) { return number }
        }
        return 0
    }

    /// The next number in the former table under an id with this hash.
    ///
    /// - Parameter slot: where to look; set to the slot behind the one that was found.
    @inline(never)
    private func nextOld(_ hash: UInt32, _ slot: inout UInt32) -> UInt32? {
        guard let oldSlots else { return nil }
        while oldSlots[Int(slot)] != 0 {
            let entry = oldSlots[Int(slot)]
            let number = UInt32(truncatingIfNeeded: entry)
            slot = (slot &+ 1) & oldMask
            // The mark of an entry that is gone has no number.
            if UInt32(truncatingIfNeeded: entry >> 32) == hash, number != 0 { return number }
        }
        return nil
    }

    /// Prefetches the slot where a look-up begins.
    @inline(__always)
    func prefetchSlot(_ hash: UInt32) {
        prefetch(slots + Int(hash & mask))
    }

    /// The number entered under some id with this hash, almost surely the one meant; 0 if there is
    /// none.
    @inline(__always)
    func guess(_ hash: UInt32) -> UInt32 {
        find(hash) { _ in true }
    }

    /// Enters a number that is not there.
    func insert(_ number: UInt32, hash: UInt32) {
        if UInt32(count + 1) > mask / 5 * 4 { grow(to: mask << 1 | 1) }
        if oldSlots != nil { emptyOldSlots(IdentifierTable.slotsAtOnce) }
        place(UInt64(hash) << 32 | UInt64(number))
        count += 1
    }

    private func place(_ entry: UInt64) {
        var slot = UInt32(truncatingIfNeeded: entry >> 32) & mask
        while slots[Int(slot)] != 0 { slot = (slot &+ 1) & mask }
        slots[Int(slot)] = entry
    }

    /// Makes room for this many more ids at once.
    func reserve(_ more: Int) {
        var larger = mask
        while count + more > larger / 5 * 4, larger < UInt32.max / 2 { larger = larger << 1 | 1 }
        guard larger != mask else { return }
        grow(to: larger)
        emptyOldSlots(.max)
    }

    private func grow(to larger: UInt32) {
        emptyOldSlots(.max)
        oldSlots = slots
        oldMask = mask
        oldNext = 0
        mask = larger
        slots = IdentifierTable.makeSlots(Int(mask) + 1)
    }

    /// Moves the entries of up to `limit` slots from the former table to this one.
    @inline(never)
    private func emptyOldSlots(_ limit: UInt32) {
        guard let old = oldSlots else { return }
        var left = limit
        while left > 0, oldNext <= oldMask {
            let entry = old[Int(oldNext)]
            if entry != 0, entry != IdentifierTable.goneMark {
                place(entry)
                old[Int(oldNext)] = IdentifierTable.goneMark
            }
            oldNext += 1
            left -= 1
        }
        if oldNext > oldMask {
            IdentifierTable.release(old, oldMask)
            oldSlots = nil
        }
    }

    private static func makeSlots(_ count: Int) -> UnsafeMutablePointer<UInt64> {
        let bytes = count * MemoryLayout<UInt64>.stride
        let slots = SlabMemory.make(bytes: bytes)
            .bindMemory(to: UInt64.self, capacity: count)
        if !SlabMemory.isZero(bytes: bytes) { slots.initialize(repeating: 0, count: count) }
        return slots
    }

    /// Removes a number, and moves up the entries that had to pass it.
    func remove(_ number: UInt32, hash: UInt32) {
        let entry = UInt64(hash) << 32 | UInt64(number)
        var hole = hash & mask
        while slots[Int(hole)] != entry {
            if slots[Int(hole)] == 0 {
                removeOld(entry)
                return
            }
            hole = (hole &+ 1) & mask
        }
        count -= 1
        var next = (hole &+ 1) & mask
        while slots[Int(next)] != 0 {
            let home = UInt32(truncatingIfNeeded: slots[Int(next)] >> 32) & mask
            // It may move up if the hole lies on its way from home.
            if (next &- home) & mask >= (next &- hole) & mask {
                slots[Int(hole)] = slots[Int(next)]
                hole = next
            }
            next = (next &+ 1) & mask
        }
        slots[Int(hole)] = 0
    }

    /// Removes an entry from the former table.
    @inline(never)
    private func removeOld(_ entry: UInt64) {
        var isFound = false
        if let oldSlots {
            var slot = UInt32(truncatingIfNeeded: entry >> 32) & oldMask
            while oldSlots[Int(slot)] != 0, oldSlots[Int(slot)] != entry {
                slot = (slot &+ 1) & oldMask
            }
            isFound = oldSlots[Int(slot)] == entry
            if isFound { oldSlots[Int(slot)] = IdentifierTable.goneMark }
        }
        precondition(isFound, "only what was entered can be taken out")
        count -= 1
    }
}
