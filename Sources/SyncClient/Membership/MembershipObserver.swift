package import SyncLayout
package import SyncModel
package import SyncWire

/// Who wants to know what happens in a room. All calls come on the session's loop.
package protocol MembershipObserver: AnyObject {
    /// The client is in the room: for the first time, or again after a lost connection.
    func membershipDidJoin(_ joined: Joined)
    /// The whole room, in place of batches.
    func membershipDidLoad(_ snapshot: Snapshot)
    /// Who made the revisions that the next batches bring, as far as the server knows it.
    func membershipDidHear(of authors: BatchAuthors)
    /// What changed since the revision held before.
    func membershipDidApply(_ batch: Batch)
    /// A transaction was answered; a batch that contains it comes after this.
    func membershipDidAnswer(_ counter: UInt64, _ answer: Answer)
    /// The connection is lost; the client tries again by itself.
    func membershipWasInterrupted(_ error: ClientError, retryAfterMilliseconds delay: UInt64)
    /// A view shows something else now.
    func membershipDidUpdate(_ view: ViewNumber, _ change: ViewChange)
    /// The last call about a view: it was closed, or is not to be had.
    func membershipDidEnd(_ view: ViewNumber, _ error: ClientError)
    /// What is dragged in a view would be dropped there now; where it is, if there is no target.
    func membershipDidDrag(_ view: ViewNumber, to target: DropTarget?)
    /// What was dragged in a view is back at its place, though nobody here has ended the drag.
    func membershipDidLoseDrag(_ view: ViewNumber, _ error: ClientError)
    /// Another member shows something else now; `nil` says that it is not here any more, as far as
    /// one can know.
    func membershipDidSee(_ client: Identifier, _ presence: SeenPresence?)
    /// The last call: the client is not in the room (any more) and does not try again.
    func membershipDidEnd(_ error: ClientError)
}

/// Who opens no views hears of none, and who joins without presence of no others, or without
/// authors of no authors.
extension MembershipObserver {
    package func membershipDidHear(of authors: BatchAuthors) {}
    package func membershipDidUpdate(_ view: ViewNumber, _ change: ViewChange) {}
    package func membershipDidEnd(_ view: ViewNumber, _ error: ClientError) {}
    package func membershipDidDrag(_ view: ViewNumber, to target: DropTarget?) {}
    package func membershipDidLoseDrag(_ view: ViewNumber, _ error: ClientError) {}
    package func membershipDidSee(_ client: Identifier, _ presence: SeenPresence?) {}
}
