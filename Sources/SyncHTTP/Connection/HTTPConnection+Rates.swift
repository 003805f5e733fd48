import SyncHTTPCodec
import SyncModel
import SyncServer
import SyncWire

// Whose rates requests count for.
extension HTTPConnection {
    /// Counts a request for the user of the one before, if it brings the same token; else for its
    /// address, as nobody knows yet whether its token is good.
    func charge(_ head: RequestHead) throws(RequestRefusal) {
        let former = session(known: try? head.token())
        if let error = slowDown(by: chargeHead(to: former), former) { throw RequestRefusal(error) }
    }

    /// A session has signed in: the request that has waited for this counts for its user, too.
    ///
    /// - Returns: why it is not answered.
    func charge(firstOf session: RequestSession) -> ErrorMessage? {
        guard !session.user.isNobody else { return nil }
        return slowDown(by: gateway.charge(bytes: 0, requests: 1, to: session.server), session)
    }

    /// Reads nothing for so many milliseconds. For a proxy that would stop the requests of others,
    /// so then this one is refused.
    private func slowDown(by wait: UInt64, _ session: RequestSession?) -> ErrorMessage? {
        guard isProxy, wait > 0 else {
            pause(forMilliseconds: wait)
            return nil
        }
        let isUser = session?.user.isNobody == false
        return ErrorMessage(
            isUser ? .userLimit : .addressLimit,
            "this \(isUser ? "user" : "address") sends more in a second than it may",
            retryAfterMilliseconds: UInt32(clamping: wait))
    }
}
