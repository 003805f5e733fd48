public import SyncLayout

/// What happens to a view, in order.
public enum ViewEvent: Sendable {
    /// The screen changed: because the room did, or by a call such as
    /// ``CollectionView/scroll(to:snapping:)``.
    case updated(ViewChange)
    /// The item that is dragged in the view would be dropped here now; `nil` is its own place.
    case dragged(to: DropTarget?)
    /// The drag is over although nobody here has ended it, and the item is back at its place: the
    /// connection was lost, the item was deleted, or the store has failed.
    case dragEnded(CollectionError)
    /// The last event: the view is closed, by this side (`closed`) or by the server.
    case ended(CollectionError)
}

extension ViewChange {
    /// The change from an empty screen to this one.
    init?(showing snapshot: ViewSnapshot) {
        guard let revision = snapshot.revision else { return nil }
        self.init(
            revision: revision, bounds: snapshot.bounds, contentSize: snapshot.contentSize)
        appeared = snapshot.elements.map { Appeared(initial: $0.element, to: $0) }
        hasMore = snapshot.hasMore
        answeredSettings = snapshot.answeredSettings
    }
}
