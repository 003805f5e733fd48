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
            context.log.log(.warning, "too many connections", ["peer": stream.peer])
            return Turnaway.begin(
                stream, on: loop,
                saying: encoder.encode(
                    .error(
                        ErrorMessage(
                            .tooManyConnections,
                            "the server has \(configuration.maximumConnections) connections already"
                        ))))
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

    // MARK: Time

    /// Looks at all connections from time to time: who is silent, and who was told nothing for long.
    func watchSessions() {
        loop.schedule(afterMilliseconds: watchMilliseconds) { [self] in
            watchdog.begin(at: loop.clockMicroseconds)
            hearing.tick(at: loop.nowMilliseconds, intervalMilliseconds: watchMilliseconds)
            for session in sessions.list { watch(session) }
            watchdog.note(.timing, nil, at: loop.clockMicroseconds)
            watchSessions()
        }
    }

    /// The time on the clock by which silence is measured.
    var heardMilliseconds: UInt64 { hearing.milliseconds(at: loop.nowMilliseconds) }

    private var watchMilliseconds: UInt64 {
        let shortest = min(
            configuration.handshakeTimeoutMilliseconds, UInt64(configuration.heartbeatMilliseconds))
        return max(10, min(1000, shortest / 4))
    }

    private func watch(_ session: Session) {
        let now = loop.nowMilliseconds
        let heard = heardMilliseconds
        let silence = heard - min(heard, session.lastReceived)
        let beat = UInt64(configuration.heartbeatMilliseconds)
        switch session.phase {
        case .greeting:
            if heard - min(heard, session.opened) >= configuration.handshakeTimeoutMilliseconds {
                session.fail(.handshakeTimeout, "no hello came in time")
            }
        case .open:
            if silence >= beat * configuration.missedHeartbeats, !session.isReadingPutOff {
                session.fail(
                    .heartbeatTimeout, "nothing came for \(silence) milliseconds")
            } else if now - session.lastSent + watchMilliseconds > beat, !session.isWriting {
                session.add(heartbeat, of: nil)
            }
        case .leaving, .closed: break
        }
    }
}

/// A connection that is not taken: it is told so, and closed.
private final class Turnaway: ByteStreamHandler {
    private let stream: any ByteStream

    private init(_ stream: any ByteStream) {
        self.stream = stream
    }

    static func begin(_ stream: any ByteStream, on loop: any EventLoop, saying frame: EncodedFrame)
    {
        stream.open(Turnaway(stream))
        stream.write([frame.plain])
        loop.schedule(afterMilliseconds: Session.lingerMilliseconds) { stream.close() }
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {}
    func streamDidDrain() {}
    func streamDidClose(_ error: IOError?) {}
}
