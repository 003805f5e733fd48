package import SyncBytes

/// A client's message to a server.
package enum ClientMessage: Sendable, Equatable {
    case hello(Hello)
    case renew(Renew)
    case revoke(Revoke)
    case join(Join)
    case leave(Leave)
    case submit(Submit)
    case heartbeat(Heartbeat)
    case listRooms(ListRooms)
    /// Asks for a room's ``Stats``.
    case readStats(RoomRequest)
    /// Asks for a room to be deleted.
    case deleteRoom(RoomRequest)
    case readSnapshot(ReadSnapshot)
    case readHistory(ReadHistory)
    case readItems(ReadItems)
    case view(ViewRequest)
    case presence(Presence)
    case drag(Drag)
}

extension ClientMessage {
    /// Whether it is about a room that the connection is in, or something there.
    package var isAboutRoom: Bool {
        switch self {
        case .leave, .submit, .view, .presence, .drag: true
        case .hello, .renew, .revoke, .join, .heartbeat, .listRooms, .readStats, .deleteRoom,
            .readSnapshot, .readHistory, .readItems:
            false
        }
    }

    /// Makes it name the room of a handle, if it is about a room that the connection is in.
    package mutating func readdress(to room: RoomHandle) {
        switch self {
        case .leave(var leave):
            leave.room = room
            self = .leave(leave)
        case .submit(var submit):
            submit.room = room
            self = .submit(submit)
        case .view(var request):
            request.room = room
            self = .view(request)
        case .presence(var presence):
            presence.room = room
            self = .presence(presence)
        case .drag(var drag):
            drag.room = room
            self = .drag(drag)
        case .hello, .renew, .revoke, .join, .heartbeat, .listRooms, .readStats, .deleteRoom,
            .readSnapshot, .readHistory, .readItems:
            break
        }
    }

    /// Reads the field `number` of a `Frame`; `nil` if that is no message of a client, or is a
    /// submit, which ``SubmitView`` reads.
    init?(
        _ number: Int, _ bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(WireError) {
        do throws(FieldError) {
            switch number {
            case FrameNumber.hello: self = .hello(try Hello(parsing: bytes))
            case FrameNumber.renew: self = .renew(try Renew(parsing: bytes))
            case FrameNumber.revoke: self = .revoke(try Revoke(parsing: bytes))
            case FrameNumber.join: self = .join(try Join(parsing: bytes))
            case FrameNumber.leave: self = .leave(try Leave(parsing: bytes))
            case FrameNumber.heartbeat:
                self = .heartbeat(try Heartbeat(parsing: bytes, maximumRooms: limits.rooms))
            case FrameNumber.listRooms: self = .listRooms(try ListRooms(parsing: bytes))
            case FrameNumber.readStats: self = .readStats(try RoomRequest(parsing: bytes))
            case FrameNumber.deleteRoom: self = .deleteRoom(try RoomRequest(parsing: bytes))
            case FrameNumber.readSnapshot:
                self = .readSnapshot(try ReadSnapshot(parsing: bytes))
            case FrameNumber.readHistory: self = .readHistory(try ReadHistory(parsing: bytes))
            case FrameNumber.readItems: self = .readItems(try ReadItems(parsing: bytes))
            case FrameNumber.view: self = .view(try ViewRequest(parsing: bytes))
            case FrameNumber.presence:
                self = .presence(try Presence(parsing: bytes, limits.presence))
            case FrameNumber.drag: self = .drag(try Drag(parsing: bytes))
            default: return nil
            }
        } catch {
            throw WireError(error)
        }
    }

    /// Writes the message `Frame` that contains this one, without a length.
    package func write(to writer: inout ByteWriter) {
        switch self {
        case .submit(let submit):
            writer.write(message: FrameNumber.submit) { writer in submit.write(to: &writer) }
        case .hello(let hello):
            writer.write(message: FrameNumber.hello) { writer in hello.write(to: &writer) }
        case .renew(let renew):
            writer.write(message: FrameNumber.renew) { writer in renew.write(to: &writer) }
        case .revoke(let revoke):
            writer.write(message: FrameNumber.revoke) { writer in revoke.write(to: &writer) }
        case .join(let join):
            writer.write(message: FrameNumber.join) { writer in join.write(to: &writer) }
        case .leave(let leave):
            writer.write(message: FrameNumber.leave) { writer in leave.write(to: &writer) }
        case .heartbeat(let beat):
            writer.write(message: FrameNumber.heartbeat) { writer in beat.write(to: &writer) }
        case .listRooms(let list):
            writer.write(message: FrameNumber.listRooms) { writer in list.write(to: &writer) }
        case .readStats(let read):
            writer.write(message: FrameNumber.readStats) { writer in read.write(to: &writer) }
        case .deleteRoom(let delete):
            writer.write(message: FrameNumber.deleteRoom) { writer in delete.write(to: &writer) }
        case .readSnapshot(let read):
            writer.write(message: FrameNumber.readSnapshot) { writer in read.write(to: &writer) }
        case .readHistory(let read):
            writer.write(message: FrameNumber.readHistory) { writer in read.write(to: &writer) }
        case .readItems(let read):
            writer.write(message: FrameNumber.readItems) { writer in read.write(to: &writer) }
        case .view(let view):
            writer.write(message: FrameNumber.view) { writer in view.write(to: &writer) }
        case .presence(let presence):
            writer.write(message: FrameNumber.presence) { writer in presence.write(to: &writer) }
        case .drag(let drag):
            writer.write(message: FrameNumber.drag) { writer in drag.write(to: &writer) }
        }
    }
}
