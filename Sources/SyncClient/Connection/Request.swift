package import SyncModel
package import SyncWire

/// A server's reply to a request.
package enum Reply: Sendable {
    case rooms([RoomList.Entry])
    case stats(Stats)
    case part(SnapshotPart)
    case batch(Batch)
    case items(Items)
    /// The request is finished; the last reply.
    case done
    /// The request failed; the last reply.
    case failed(ClientError)
}

/// A request that is not fully answered yet.
struct Request {
    let message: ClientMessage
    /// What the server must have to answer it.
    let feature: Features
    let reply: (Reply) -> Void
    var isSent = false
    var batches = BatchAssembler()
    /// Bytes of its replies that count against a limit.
    var receivedBytes = 0
}

/// What a client may ask of a server.
package enum Question: Sendable {
    case rooms
    case stats(RoomName)
    case delete(RoomName)
    case revoke(Revoke.Subject)
    case snapshot(RoomName, revision: Revision?, origin: Origin? = nil)
    case history(
        RoomName, from: Revision, until: Revision?, everyRevision: Bool, origin: Origin? = nil)
    case items(RoomName, ItemQuery, revision: Revision?, origin: Origin? = nil)

    /// What the server must have to answer it, beyond the basic protocol.
    var feature: Features {
        switch self {
        case .items: .items
        case .rooms, .stats, .delete, .revoke, .snapshot, .history: []
        }
    }

    func message(_ request: RequestID) -> ClientMessage {
        switch self {
        case .rooms: .listRooms(ListRooms(request: request))
        case .stats(let room): .readStats(RoomRequest(request: request, room: room))
        case .revoke(let subject): .revoke(Revoke(request: request, subject))
        case .delete(let room): .deleteRoom(RoomRequest(request: request, room: room))
        case .snapshot(let room, let revision, let origin):
            .readSnapshot(
                ReadSnapshot(request: request, room: room, revision: revision, origin: origin))
        case .history(let room, let from, let until, let everyRevision, let origin):
            .readHistory(
                ReadHistory(
                    request: request, room: room, from: from, until: until,
                    everyRevision: everyRevision, origin: origin))
        case .items(let room, let query, let revision, let origin):
            .readItems(
                ReadItems(
                    request: request, room: room, revision: revision, origin: origin, query))
        }
    }
}
