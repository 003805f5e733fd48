import SyncBytes
import SyncWire

// The session that answers the connection's requests.
extension HTTPConnection {
    /// The session that answers requests with a token: the one of the last request, if that had the
    /// same token and encoding.
    func session(
        withToken token: ForeignText, in encoding: FrameEncoding = .json
    ) -> RequestSession {
        if let session = session(known: token), session.encoding == encoding { return session }
        session?.close()
        let new = RequestSession(self, token: token, encoding: encoding)
        session = new
        return new
    }

    /// The session of the last request, if that had the same token; `nil` if it is over.
    func session(known token: ForeignText?) -> RequestSession? {
        guard let session, !session.isOver, let token,
            session.token.isSame(as: token)
        else { return nil }
        return session
    }

    /// Closes the session, since what comes next is another client's, or no request.
    func dropSession() {
        session?.close()
        session = nil
    }
}
