public import SyncLayout

/// What happens to a view, in order.
public enum ViewEvent: Sendable {
    /// The screen is another one: because of the room, or of what was asked of the view.
    case updated(ViewChange)
    /// The item that is dragged in the view would be dropped there now; where it is, if there is no target.
    case dragged(to: DropTarget?)
    /// What was dragged is back at its place, though nobody here has ended the drag: the connection is lost, the
    /// item was deleted, the store has failed.
    case dragEnded(CollectionError)
    /// The last event: the view is closed, or not to be had any more.
    case ended(CollectionError)
}

extension ViewChange {
    /// What leads from an empty screen to this one.
    init?(showing snapshot: ViewSnapshot) {
        guard let revision = snapshot.revision else { return nil }
        self.init(
            revision: revision, bounds: snapshot.bounds, contentSize: snapshot.contentSize)
        appeared = snapshot.elements.map { Appeared(initial: $0.element, to: $0) }
        hasMore = snapshot.hasMore
        answeredSettings = snapshot.answeredSettings
    }
}
