import SyncWire

// The session that answers its requests.
extension HTTPConnection {
    /// The session that answers requests with a token: the one of the last request, if that had the
    /// same token and encoding.
    func session(
        withToken token: String, in encoding: FrameEncoding = .json
    ) -> RequestSession {
        if let session, session.token == token, session.encoding == encoding, !session.isOver {
            return session
        }
        session?.close()
        let new = RequestSession(self, token: token, encoding: encoding, agent: "HTTP")
        session = new
        return new
    }

    /// Ends the session, for requests of somebody else.
    func dropSession() {
        session?.close()
        session = nil
    }
}
