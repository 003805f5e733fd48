import Glibc

/// The way from an id's bytes to a number: a hash table with open addressing over ids that are kept
/// elsewhere.
///
/// A slot holds 32 bits of the hash beside the number, so that a look-up reads an id's bytes only
/// where they are almost surely the ones asked for. Hashes are seeded by the process: who chooses ids
/// can't choose collisions.
///
/// # Performance
/// O(1) expected; 8 bytes a slot at a load between 0.4 and 0.8.
final class IdentifierTable {
    /// The hash in the upper half and the number in the lower; 0 is a free slot.
    private var slots: UnsafeMutablePointer<UInt64>
    private var capacity = 64
    private(set) var count = 0
    private let seed: UInt64

    init() {
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: 0, count: capacity)
        seed = UInt64(bitPattern: Int64("collsync".hashValue)) | 1
    }

    deinit {
        slots.deallocate()
    }

    /// A hash to use in the calls below.
    @inline(__always)
    func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        guard let base = bytes.baseAddress else { return seed }
        let count = bytes.count
        var state = seed ^ (UInt64(truncatingIfNeeded: count) &* 0xA076_1D64_78BD_642F)
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
        return IdentifierTable.mix(low ^ state, high ^ 0x8EBC_6AF0_9C88_C6E3)
    }

    @inline(__always)
    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    /// The number entered under an id with this hash for which `isEqual` holds; 0 if there is none.
    @inline(__always)
    func find(_ hash: UInt64, _ isEqual: (UInt32) -> Bool) -> UInt32 {
        let mark = IdentifierTable.mark(hash)
        var slot = Int(truncatingIfNeeded: hash) & (capacity - 1)
        while slots[slot] != 0 {
            if slots[slot] & IdentifierTable.markBits == mark {
                let number = UInt32(truncatingIfNeeded: slots[slot])
                if isEqual(number) { return number }
            }
            slot = (slot + 1) & (capacity - 1)
        }
        return 0
    }

    private static let markBits: UInt64 = 0xFFFF_FFFF_0000_0000

    /// The slot is chosen by the hash's lower bits, so its upper ones tell ids apart.
    @inline(__always)
    private static func mark(_ hash: UInt64) -> UInt64 {
        hash & markBits
    }

    /// Enters a number that is not there.
    ///
    /// - Parameter hashOf: gives the hash of a number that is in the table.
    func insert(_ number: UInt32, hash: UInt64, hashOf: (UInt32) -> UInt64) {
        if (count + 1) * 5 > capacity * 4 { grow(hashOf) }
        place(number, hash)
        count += 1
    }

    private func place(_ number: UInt32, _ hash: UInt64) {
        var slot = Int(truncatingIfNeeded: hash) & (capacity - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (capacity - 1) }
        slots[slot] = IdentifierTable.mark(hash) | UInt64(number)
    }

    private func grow(_ hashOf: (UInt32) -> UInt64) {
        let old = UnsafeMutableBufferPointer(start: slots, count: capacity)
        capacity *= 2
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: 0, count: capacity)
        for slot in old where slot != 0 {
            let number = UInt32(truncatingIfNeeded: slot)
            place(number, hashOf(number))
        }
        old.deallocate()
    }

    /// Takes a number out, moving up what had to pass it.
    func remove(_ number: UInt32, hash: UInt64, hashOf: (UInt32) -> UInt64) {
        var slot = Int(truncatingIfNeeded: hash) & (capacity - 1)
        while UInt32(truncatingIfNeeded: slots[slot]) != number {
            precondition(slots[slot] != 0, "only what was entered can be taken out")
            slot = (slot + 1) & (capacity - 1)
        }
        count -= 1
        var hole = slot
        var next = (slot + 1) & (capacity - 1)
        while slots[next] != 0 {
            let home =
                Int(truncatingIfNeeded: hashOf(UInt32(truncatingIfNeeded: slots[next]))) & (capacity - 1)
            // It may move up if the hole lies on its way from home.
            if (next - home) & (capacity - 1) >= (next - hole) & (capacity - 1) {
                slots[hole] = slots[next]
                hole = next
            }
            next = (next + 1) & (capacity - 1)
        }
        slots[hole] = 0
    }
}
