public import SyncEngine
package import SyncWire

/// What a server says of a room without opening it.
public struct RoomSummary: Sendable, Equatable {
    /// The room's name.
    public let name: String
    /// Its revision.
    public let revision: Revision
    /// How many clients are in it now.
    public let members: Int

    init(_ entry: RoomList.Entry) {
        name = entry.name.text
        revision = entry.revision
        members = Int(entry.members)
    }
}

/// A room in figures.
public struct RoomStats: Sendable, Equatable {
    /// The room's id, in hexadecimal: a room that is deleted and made again has another one.
    public let id: String
    /// The id of the epoch that new revisions are of, in hexadecimal.
    public let epoch: String
    /// The room's revision.
    public let revision: Revision
    /// The revision up to which the server has forgotten the places of what is gone.
    public let horizon: Revision
    /// The first revision that the server still has a record of.
    public let oldestRevision: Revision
    /// The revision of the newest stored snapshot.
    public let snapshotRevision: Revision
    /// How many sections there are.
    public let sections: UInt64
    /// How many items there are.
    public let items: UInt64
    /// How many places of things that are gone the server remembers.
    public let deadNodes: UInt64
    /// How many clients are in the room.
    public let members: UInt64
    /// Bytes of the room in the server's memory.
    public let memoryBytes: UInt64
    /// Bytes of the room in the server's store.
    public let storedBytes: UInt64
    /// The most bytes that the room may have in memory; `nil` if there is no limit.
    public let memoryLimit: UInt64?
    /// The most bytes that it may have in the store; `nil` if there is no limit.
    public let storedLimit: UInt64?
    /// The server in figures.
    public let server: ServerStats

    /// Which room and epoch ``revision`` is of.
    package let origin: Origin

    init(_ stats: Stats) {
        let figures = stats.figures
        id = stats.identity.id.description
        epoch = stats.identity.newestEpoch.description
        origin = stats.identity.origin(of: figures.revision)
        revision = figures.revision
        horizon = figures.horizon
        oldestRevision = figures.oldestRevision
        snapshotRevision = figures.snapshotRevision
        sections = figures.sections
        items = figures.items
        deadNodes = figures.deadNodes
        members = figures.members
        memoryBytes = figures.memoryBytes
        storedBytes = figures.storedBytes
        memoryLimit = figures.memoryLimit == 0 ? nil : figures.memoryLimit
        storedLimit = figures.storedLimit == 0 ? nil : figures.storedLimit
        server = ServerStats(stats.server)
    }
}
