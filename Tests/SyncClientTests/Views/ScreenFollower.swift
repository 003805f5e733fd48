import SyncClient
import SyncLayout
import Testing

/// One who shows a view and hears only what changes.
struct ScreenFollower {
    private(set) var elements: [UInt64: ViewElement] = [:]

    /// Takes a change in, which must fit what was there.
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

    /// What is there now, as a screen tells it.
    var sorted: [ViewElement] { elements.values.sorted { $0.key < $1.key } }
}
