package import SyncModel
import SyncWire

extension Membership {
    /// What one wants of a room.
    package struct Options: Sendable {
        /// Take nothing of the room but what its views show, and who is there. Then nothing of this
        /// counts that is about items and batches.
        package var isViewOnly = false
        /// Hold the room's items, and so take a snapshot first.
        package var holdsItems = true
        /// Go on from here instead of a snapshot. Without ``holdsItems`` only.
        package var from: Revision?
        /// Which room and epoch ``from``, or what the client held in a former life, is of. Without
        /// it ``from`` does not count.
        package var origin: Origin?
        /// The greatest counter that the client sent in a former life; 0 if none.
        package var sentCounter: UInt64 = 0
        /// Each revision is to come as a batch of its own.
        package var everyRevision = false
        /// Be told of others who want it, too, and be shown to them, if the server offers that.
        package var presence = false
        /// Be told who made what batches bring, see ``MembershipObserver/membershipDidHear(of:)``.
        package var authors = false

        package init() {}
    }
}
