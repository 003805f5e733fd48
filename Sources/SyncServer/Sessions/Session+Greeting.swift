import SyncBytes
import SyncIO
import SyncWire

extension Session {
    /// Ends a connection that speaks another protocol, in a way that its client can show.
    ///
    /// - Parameter bytes: the first ones.
    func refusesGreeting(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !transport.isWithinConnection, let greeting = ForeignGreeting(bytes) else {
            return false
        }
        let why = "it speaks \(greeting.name), and this port collsync's frames"
        switch greeting {
        case .frames: return false
        // A client of TLS says best that this is none if it gets a frame.
        case .tls: fail(.badMessage, why)
        case .http:
            loop.context.log.log(.info, "closing a connection", ["peer": peer, "why": why])
            let sentence =
                "This port speaks collsync's frames. HTTP is on the port of --http, which is 7421 "
                + "if nothing else is said."
            stream.write([SharedBytes(ForeignGreeting.answer(sentence))])
            leave()
        }
        return true
    }
}
