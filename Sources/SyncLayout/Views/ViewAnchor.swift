import SyncModel

/// Where the bounds of a view are to go along the scroll axis. Across it nothing moves.
package enum ViewAnchor: Sendable, Hashable {
    /// To an item, wherever it is.
    case item(ItemAnchor)
    /// To where the content begins, with its inset: to its right end in a layout that scrolls to
    /// the side from right to left.
    case beginning
}
