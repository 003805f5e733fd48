package import Synchronization

/// A number that one thread at a time changes, and that any thread reads.
///
/// A change is a load, an addition and a store, as that of a plain variable is. No lock and no
/// atomic addition is needed, since nobody else changes the number meanwhile. So counting is cheap
/// enough for the work of every connection.
///
/// Invariant: changes never overlap. A loop's numbers are changed by that loop only.
package struct Count: ~Copyable, Sendable {
    @usableFromInline let number = Atomic<Int>(0)

    package init() {}

    /// The number, as of its last change or one of the changes just before.
    package var value: Int { number.load(ordering: .relaxed) }

    @inlinable
    @inline(__always)
    package func add(_ change: Int = 1) {
        number.store(number.load(ordering: .relaxed) &+ change, ordering: .relaxed)
    }

    /// Raises the number, if it is less.
    @inlinable
    @inline(__always)
    package func raise(to least: Int) {
        if number.load(ordering: .relaxed) < least { number.store(least, ordering: .relaxed) }
    }
}

/// Numbers side by side, each like a ``Count``: one for each value of a label.
package struct CountRow: ~Copyable, @unchecked Sendable {
    // Sendable, since the memory is that of atomic numbers, and stays at one place.
    @usableFromInline let numbers: UnsafeMutablePointer<Count>
    package let count: Int

    package init(_ count: Int) {
        self.count = count
        numbers = .allocate(capacity: count)
        for index in 0..<count { (numbers + index).initialize(to: Count()) }
    }

    deinit {
        numbers.deinitialize(count: count)
        numbers.deallocate()
    }

    /// The numbers, in order.
    package var values: [Int] { (0..<count).map { numbers[$0].value } }

    @inlinable
    @inline(__always)
    package func add(_ change: Int = 1, at index: Int) {
        precondition(index >= 0 && index < count, "a row has a number for each value of its label")
        numbers[index].add(change)
    }

    @inlinable
    @inline(__always)
    package func raise(_ index: Int, to least: Int) {
        precondition(index >= 0 && index < count, "a row has a number for each value of its label")
        numbers[index].raise(to: least)
    }
}
