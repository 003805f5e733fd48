import SyncBytes
import SyncIO
import SyncWire

extension ServerLoop {
    /// Says why a connection is not taken, and closes it.
    func turnAway(_ stream: any ByteStream, _ text: String) {
        context.log.log(.warning, "too many connections", ["peer": stream.peer, "why": text])
        // Of many at once some hear nothing: a stream that is not opened is closed.
        guard connections.turnaways < Turnaway.maximumAtOnce else { return }
        let turnaway = Turnaway(stream, on: self)
        connections.turnaways += 1
        stream.open(turnaway)
        let error = ErrorMessage(.tooManyConnections, text)
        stream.write([codec.encoder.encode(.error(error)).plain])
        schedule(afterMilliseconds: Session.lingerMilliseconds) { stream.close() }
    }
}

/// A connection that is not taken: it is told so, and closed.
private final class Turnaway: ByteStreamHandler {
    /// So many wait at once, on each loop, for the other side to read why.
    static let maximumAtOnce = 256

    private let stream: any ByteStream
    private let loop: ServerLoop

    init(_ stream: any ByteStream, on loop: ServerLoop) {
        self.stream = stream
        self.loop = loop
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {}

    func streamDidDrain() {
        stream.finishWriting()
    }

    func streamDidClose(_ error: IOError?) {
        loop.perform(.closing) { loop.connections.turnaways -= 1 }
    }
}
