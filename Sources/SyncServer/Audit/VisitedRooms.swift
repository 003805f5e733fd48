import SyncModel

/// The rooms where the audit trail has a session that is in rooms for single requests only.
///
/// Such a session joins and leaves with each request. The trail has it join with the first one, and
/// leave when the session ends, or when it has visited many rooms since.
struct VisitedRooms {
    private var rooms: [RoomName] = []

    private static let most = 16

    /// Adds a room.
    ///
    /// - Returns: whether it is new, and the room that the trail is to have it leave for that.
    mutating func add(_ room: RoomName) -> (isNew: Bool, left: RoomName?) {
        if rooms.contains(room) { return (false, nil) }
        rooms.append(room)
        return (true, rooms.count > VisitedRooms.most ? rooms.removeFirst() : nil)
    }

    mutating func takeAll() -> [RoomName] {
        defer { rooms = [] }
        return rooms
    }
}

extension Session {
    /// Notes that it has joined a room.
    func noteJoining(_ room: RoomName, as client: Identifier) {
        if transport.isVisitor, loop.context.audit != nil {
            let visit = visited.add(room)
            if let left = visit.left { note(.leave, in: left) }
            guard visit.isNew else { return }
        }
        note(.join, in: room, nil, client.text)
    }

    /// Notes that it is not in a room any more.
    ///
    /// - Parameter why: why it was put out; empty if it was not.
    func noteLeaving(_ room: RoomName, _ why: String = "") {
        if !transport.isVisitor { note(.leave, in: room, nil, why) }
    }
}
