import SyncBytes
import SyncIO
import SyncRoom
import SyncWire

extension ServerLoop {
    func listen() throws(IOError) -> SocketAddress {
        // The listener lets go of what it calls when it closes, at the latest with the loop. A weak
        // reference here would make each of the many strong ones to this object dear.
        let listener = try loop.listen(on: configuration.address) { [self] stream in
            accept(stream)
        }
        self.listener = listener
        return listener.address
    }

    private func accept(_ stream: any ByteStream) {
        guard context.takeConnection() else {
            return turnAway(
                stream, "the server has \(configuration.maximumConnections) connections already")
        }
        let session = Session(stream, on: self)
        sessions.add(session)
        stream.open(session)
        context.log.log(.debug, "a connection is open", ["peer": stream.peer])
    }

    /// Frames for a connection of this loop.
    func deliver(_ parts: [SharedBytes], of channel: Channel, to id: MemberID) {
        guard let session = sessions[id] else { return }
        for part in parts { session.add(part, of: channel) }
    }

    /// Answers for a connection of this loop.
    func answer(_ id: MemberID, _ bytes: SharedBytes, count: Int, in handle: RoomHandle) {
        guard let session = sessions[id] else { return }
        session.add(bytes, of: nil)
        session.answered(count, in: handle)
    }
}
