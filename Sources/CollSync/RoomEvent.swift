public import SyncModel
import SyncWire

/// What happens in a room, in order.
///
/// Each batch begins at the revision of the batch or snapshot before it. The answer to a
/// transaction comes before the batch that contains it.
public enum RoomEvent: Sendable {
    /// The client is in the room: the first event, and again after each lost connection.
    case joined(RoomWelcome)
    /// The whole room: once in the beginning, and in place of batches that are no longer available.
    case snapshot(Snapshot)
    /// The authors of the next batches' changes, by ascending revision, in a room that was joined
    /// with ``JoinOptions/authors``. Authors that are missing are no longer known.
    case authors([TransactionAuthor])
    /// What changed, by anyone.
    case batch(Batch)
    /// A transaction of this client was accepted and is on disk.
    case acknowledged(number: UInt64, Commit)
    /// A transaction of this client was refused and has changed nothing.
    case rejected(number: UInt64, Rejection)
    /// A quota is nearly used up: one of the room, if the client may edit it, or one of the
    /// client's user or address (`Quota.isOfAccount`). It comes before anything is refused for
    /// it, and again after the use was lower meanwhile.
    case nearLimit(QuotaUse)
    /// The connection is lost; the client tries again by itself after the delay.
    case interrupted(CollectionError, retryAfterMilliseconds: UInt64)
    /// The last event: the client is no longer in the room.
    case ended(CollectionError)
}

/// What the server says of the client and its room.
public struct RoomWelcome: Sendable, Equatable {
    /// The client's id: the author of its transactions.
    public let client: Identifier
    /// The person, as far as the server knows; else empty.
    public let user: String
    /// The room's name.
    public let room: String
    /// What the client may do there: `viewer`, `editor` or `admin`. A later token may say
    /// otherwise: what it does not allow is refused with `notAllowed`.
    public let role: String
    /// The room's revision.
    public let revision: Revision
    /// The version of the protocol that is in use, as in `1.0`.
    public let protocolVersion: String
    /// The room's id, in hexadecimal: a room that is deleted and made again has another one.
    public let id: String
    /// The id of the epoch that new revisions are of, in hexadecimal. Each time a server opens the
    /// room anew, and writes, an epoch begins.
    public let epoch: String
    /// Whether the room is not the one that the client knew, or has lost changes that the client
    /// saw. A snapshot follows. Transactions made before are rejected as `roomChanged`, unless the
    /// server knows their result. A client at revision 0 has seen nothing, so its transactions are
    /// sent to whatever room has the name, and this is `false`.
    public let isChanged: Bool

    /// The room's id and its newest epochs.
    private let identity: RoomIdentity

    /// The history that a revision of this room belongs to, for revisions that the client gets
    /// before the next welcome.
    public func origin(of revision: Revision) -> RoomOrigin {
        RoomOrigin(identity.origin(of: revision))
    }

    init(_ joined: Joined, version: UInt32) {
        client = joined.client
        user = joined.user
        room = joined.room.text
        role = joined.role.name
        revision = joined.revision
        protocolVersion = "\(version).0"
        id = joined.identity.id.description
        epoch = joined.identity.newestEpoch.description
        isChanged = joined.changed
        identity = joined.identity
    }
}
