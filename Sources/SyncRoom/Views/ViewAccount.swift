import Synchronization

/// How many bytes the views of a connection take, in all rooms it is in: what its client is taken to hold of their
/// screens, and updates that it has not taken in. Rooms on several threads count there.
package final class ViewAccount: Sendable {
    private let bytes = Atomic(0)
    /// How many there may be.
    package let limit: Int

    /// The default of ``limit``: some 50,000 elements on all screens.
    package static let usualLimit = 8 << 20

    package init(limit: Int = usualLimit) {
        self.limit = limit
    }

    package var byteCount: Int { bytes.load(ordering: .relaxed) }

    var isOverLimit: Bool { byteCount > limit }

    func add(_ count: Int) {
        bytes.add(count, ordering: .relaxed)
    }
}
