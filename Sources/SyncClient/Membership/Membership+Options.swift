package import SyncModel
import SyncWire

extension Membership {
    /// What a member gets of a room.
    package struct Options: Sendable {
        /// Get only what views of the room show, and presence. Then the options about items and
        /// batches have no effect.
        package var isViewOnly = false
        /// Keep the room's items, and so get a snapshot first.
        package var keepsItems = true
        /// Get the batches from this revision on instead of a snapshot. It is for members without
        /// ``keepsItems`` only.
        package var from: Revision?
        /// The room and epoch of ``from``, or of the content that an earlier run of the client had.
        /// Without it ``from`` has no effect.
        package var origin: Origin?
        /// The greatest counter that an earlier run of the client sent; 0 if none.
        package var sentCounter: UInt64 = 0
        /// Each revision is to come as a batch of its own.
        package var everyRevision = false
        /// See the other members that want presence, too, and be seen by them, if the server offers
        /// that.
        package var presence = false
        /// Get the authors of the batches' changes, see
        /// ``MembershipObserver/membershipDidReceive(_:)``.
        package var authors = false

        package init() {}
    }
}
