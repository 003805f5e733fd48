/// A number with its sort key.
struct KeyedNumber: BitwiseCopyable {
    var key: UInt64
    var number: UInt32
}

extension [KeyedNumber] {
    private static let digitBits = 8
    /// Up to this length an array is sorted by insertion.
    private static let smallCount = 24

    /// Sorts by key, stably.
    ///
    /// # Performance
    /// O(k) for each byte in which the keys of the k numbers differ: a radix sort from the last
    /// digit on.
    mutating func sortByKey() {
        guard let first else { return }
        if count <= Self.smallCount { return insertOneByOne() }
        var different: UInt64 = 0
        for entry in self { different |= entry.key ^ first.key }
        withUnsafeTemporaryAllocation(of: KeyedNumber.self, capacity: count) { spare in
            withUnsafeMutableBufferPointer { entries in
                var (from, to) = (entries, spare)
                for shift in stride(from: 0, to: UInt64.bitWidth, by: Self.digitBits)
                where UInt8(truncatingIfNeeded: different >> UInt64(shift)) != 0 {
                    Self.distribute(from, into: to, at: UInt64(shift))
                    swap(&from, &to)
                }
                if from.baseAddress != entries.baseAddress {
                    _ = entries.update(fromContentsOf: from)
                }
            }
        }
    }

    /// Puts numbers in the order of one digit of their keys.
    private static func distribute(
        _ from: UnsafeMutableBufferPointer<KeyedNumber>,
        into to: UnsafeMutableBufferPointer<KeyedNumber>, at shift: UInt64
    ) {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << digitBits) { ends in
            ends.initialize(repeating: 0)
            for entry in from { ends[Int(UInt8(truncatingIfNeeded: entry.key >> shift))] += 1 }
            var start = 0
            for digit in ends.indices { (ends[digit], start) = (start, start + ends[digit]) }
            for entry in from {
                let digit = Int(UInt8(truncatingIfNeeded: entry.key >> shift))
                to[ends[digit]] = entry
                ends[digit] += 1
            }
        }
    }

    private mutating func insertOneByOne() {
        for index in indices.dropFirst() {
            let entry = self[index]
            var place = index
            while place > 0, self[place - 1].key > entry.key {
                self[place] = self[place - 1]
                place -= 1
            }
            self[place] = entry
        }
    }
}
