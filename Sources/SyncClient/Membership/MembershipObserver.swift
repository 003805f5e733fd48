package import SyncLayout
package import SyncModel
package import SyncWire

/// Gets the events of a membership. All calls come on the session's loop.
package protocol MembershipObserver: AnyObject {
    /// The client is in the room: for the first time, or again after a lost connection.
    func membershipDidJoin(_ joined: Joined)
    /// The whole room, in place of batches.
    func membershipDidLoad(_ snapshot: Snapshot)
    /// The authors of the next batches' revisions, as far as the server knows them.
    func membershipDidReceive(_ authors: BatchAuthors)
    /// What changed since the revision before.
    func membershipDidApply(_ batch: Batch)
    /// A transaction was answered; a batch that contains it comes after this.
    func membershipDidAnswer(_ counter: UInt64, _ answer: Answer)
    /// The connection is lost; the client tries again by itself.
    func membershipWasInterrupted(_ error: ClientError, retryAfterMilliseconds delay: UInt64)
    /// A view shows something else now.
    func membershipDidUpdate(_ view: ViewNumber, _ change: ViewChange)
    /// The last call about a view: it was closed, or refused.
    func membershipDidEnd(_ view: ViewNumber, _ error: ClientError)
    /// The item that is dragged in a view would be dropped there now; `nil` is its own place.
    func membershipDidDrag(_ view: ViewNumber, to target: DropTarget?)
    /// A drag in a view is over, though nobody here has ended it; the item is back at its place.
    func membershipDidLoseDrag(_ view: ViewNumber, _ error: ClientError)
    /// Another member shows something else now; `nil` if it has left, as far as the client knows.
    func membershipDidSee(_ client: Identifier, _ presence: SeenPresence?)
    /// A quota of the room, or of the client's user or address, is nearly used up. After each
    /// ``membershipDidJoin(_:)`` what was said before no longer counts.
    func membershipIsNear(_ use: QuotaUse)
    /// The last call: the client is not in the room (any more) and does not try again.
    func membershipDidEnd(_ error: ClientError)
}

/// An observer may leave out the calls for views, drags, presence and authors, which come only if
/// it asked for these, and those for quotas.
extension MembershipObserver {
    package func membershipDidReceive(_ authors: BatchAuthors) {}
    package func membershipDidUpdate(_ view: ViewNumber, _ change: ViewChange) {}
    package func membershipDidEnd(_ view: ViewNumber, _ error: ClientError) {}
    package func membershipDidDrag(_ view: ViewNumber, to target: DropTarget?) {}
    package func membershipDidLoseDrag(_ view: ViewNumber, _ error: ClientError) {}
    package func membershipDidSee(_ client: Identifier, _ presence: SeenPresence?) {}
    package func membershipIsNear(_ use: QuotaUse) {}
}
