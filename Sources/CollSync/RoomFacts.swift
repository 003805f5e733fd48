public import SyncModel
public import SyncWire

@_exported public import enum SyncWire.AccountFigure
@_exported public import struct SyncWire.Figure
@_exported public import protocol SyncWire.FigureTable
@_exported public import struct SyncWire.Figures
@_exported public import enum SyncWire.RoomFigure
@_exported public import enum SyncWire.ServerFigure

/// A room in the list of a server's rooms.
public struct RoomSummary: Sendable, Equatable {
    /// The room's name.
    public let name: String
    /// Its newest revision that is on disk.
    public let revision: Revision
    /// The number of clients that are in it now.
    public let members: Int

    /// Makes a room of a list.
    public init(name: String, revision: Revision, members: Int) {
        self.name = name
        self.revision = revision
        self.members = members
    }

    init(_ entry: RoomList.Entry) {
        name = entry.name.text
        revision = entry.revision
        members = Int(entry.members)
    }
}

/// A room in figures, with its server's and your own.
///
///     let stats = try await client.stats(of: "groceries")
///     print(stats.revision, stats.figures[.items] ?? 0, stats.server[.connections] ?? 0)
///     for figure in stats.figures.all { print(figure.name, figure.value) }
public struct RoomStats: Sendable, Equatable {
    /// The room's id, in hexadecimal: a room that is deleted and made again has another one.
    public let id: String
    /// The id of the epoch that new revisions belong to, in hexadecimal. An epoch begins each time
    /// a server opens the room and writes to it.
    public let epoch: String
    /// The room's newest revision that is on disk.
    public let revision: Revision
    /// The revision up to which the server has forgotten the places of deleted items and sections.
    public let horizon: Revision
    /// The first revision of which the server still has the transaction.
    public let oldestRevision: Revision
    /// The revision of the newest stored snapshot.
    public let snapshotRevision: Revision
    /// Other figures of the room.
    public let figures: Figures<RoomFigure>
    /// Figures of the server, for those who may administer all its rooms.
    public let server: Figures<ServerFigure>
    /// Figures of who asks: the user that has signed in, or else the address. None if the server
    /// trusts the address, and nobody has signed in.
    public let account: Figures<AccountFigure>

    /// The room and epoch that ``revision`` belongs to.
    package let origin: Origin

    /// Makes the figures of a room.
    public init(
        id: String, epoch: String, revision: Revision, horizon: Revision = 0,
        oldestRevision: Revision = 0, snapshotRevision: Revision = 0,
        figures: Figures<RoomFigure> = [:], server: Figures<ServerFigure> = [:],
        account: Figures<AccountFigure> = [:]
    ) {
        self.id = id
        self.epoch = epoch
        self.revision = revision
        self.horizon = horizon
        self.oldestRevision = oldestRevision
        self.snapshotRevision = snapshotRevision
        self.figures = figures
        self.server = server
        self.account = account
        origin = Origin(RoomOrigin(id: id, epoch: epoch))
    }

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
        account = stats.account
    }
}
