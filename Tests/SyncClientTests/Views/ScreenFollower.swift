import SyncClient
import SyncLayout
import Testing

/// A follower of a view that applies its changes only.
struct ScreenFollower {
    private(set) var elements: [UInt64: ViewElement] = [:]

    /// Applies a change, which must fit the elements.
    mutating func follow(_ change: ViewChange, _ comment: Comment) {
        for entry in change.disappeared {
            #expect(elements.removeValue(forKey: entry.from.key) == entry.from, comment)
            #expect(entry.final.identity == entry.from.element.identity, comment)
        }
        for entry in change.changed {
            #expect(entry.from.key == entry.to.key, comment)
            #expect(entry.from != entry.to, comment)
            #expect(elements.updateValue(entry.to, forKey: entry.to.key) == entry.from, comment)
        }
        for entry in change.appeared {
            #expect(elements.updateValue(entry.to, forKey: entry.to.key) == nil, comment)
        }
    }

    /// The elements in a screen's order.
    var sorted: [ViewElement] { elements.values.sorted { $0.key < $1.key } }
}
