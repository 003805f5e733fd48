public import SyncModel
public import SyncWire

@_exported public import struct SyncWire.Figure
@_exported public import protocol SyncWire.FigureTable
@_exported public import struct SyncWire.Figures
@_exported public import enum SyncWire.RoomFigure
@_exported public import enum SyncWire.ServerFigure

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
    /// What else the server tells of the room.
    public let figures: Figures<RoomFigure>
    /// What it tells of itself.
    public let server: Figures<ServerFigure>

    /// Which room and epoch ``revision`` is of.
    package let origin: Origin

    init(_ stats: Stats) {
        id = stats.identity.id.description
        epoch = stats.identity.newestEpoch.description
        origin = stats.identity.origin(of: stats.revision)
        revision = stats.revision
        horizon = stats.horizon
        oldestRevision = stats.oldestRevision
        snapshotRevision = stats.snapshotRevision
        figures = stats.figures
        server = stats.server
    }
}
