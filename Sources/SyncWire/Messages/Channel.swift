import SyncBytes

/// What a snapshot, a batch or an error belongs to: a room that was joined, or a request.
package enum Channel: Sendable, Hashable {
    case room(RoomHandle)
    case request(RequestID)
}

extension ByteWriter {
    mutating func write(_ channel: Channel, room: Int, request: Int) {
        switch channel {
        case .room(let handle): write(field: room, varint: UInt64(handle))
        case .request(let id): write(field: request, varint: UInt64(id))
        }
    }
}
