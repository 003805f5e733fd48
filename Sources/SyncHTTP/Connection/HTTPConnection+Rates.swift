import SyncHTTPCodec
import SyncModel
import SyncServer
import SyncWire

// Whose rates requests count for.
extension HTTPConnection {
    /// Charges received bytes to the user of the last session, or to the address if nobody has
    /// signed in.
    func charge(_ count: Int) {
        requestBytes += count
        // A body is charged as it comes: nobody else's request comes meanwhile.
        if isProxy, !isInRequest { return headBytes += count }
        let wait = gateway.charge(bytes: count, to: session?.server)
        if isProxy, exchange == nil, wait > 0 {
            // The rest of a request that is answered: the proxy may have others for this
            // connection.
            end()
        } else {
            pause(forMilliseconds: wait)
        }
    }

    /// Reads no more for a while.
    private func pause(forMilliseconds wait: UInt64) {
        guard wait > 0, rateTimer == nil, phase == .open || phase == .ending else { return }
        rateTimer = gateway.schedule(afterMilliseconds: wait) { [weak self] in
            self?.rateTimer = nil
            self?.read()
        }
    }

    /// Counts a request for the user of the one before, if it brings the same token; else for its
    /// address, as nobody knows yet whether its token is good.
    func charge(_ head: RequestHead) throws(RequestRefusal) {
        let former = session(known: try? head.token())
        let wait = gateway.charge(bytes: headBytes, requests: 1, to: former?.server)
        guard isProxy, wait > 0 else { return pause(forMilliseconds: wait) }
        // To read no more for a while would stop the requests of others.
        gateway.takeBack(bytes: headBytes, requests: 1, from: former?.server)
        throw RequestRefusal(refusal(until: wait, former))
    }

    /// A session has signed in: the request that has waited for that counts for its user, too. It
    /// waits for the user's rates, but a proxy's is refused.
    func charge(firstOf session: RequestSession, then goOn: @escaping () -> Void) {
        guard !session.user.isNobody else { return goOn() }
        let bytes = requestBytes
        let wait = gateway.charge(bytes: bytes, requests: 1, to: session.server)
        if wait == 0 { return goOn() }
        if isProxy {
            gateway.takeBack(bytes: bytes, requests: 1, from: session.server)
            session.exchange?.refuse(refusal(until: wait, session))
            return goOn()
        }
        gateway.schedule(afterMilliseconds: wait) { [weak self, weak session] in
            guard let self, session?.isOver == false else { return }
            goOn()
            didWork()
        }
    }

    private func refusal(until wait: UInt64, _ session: RequestSession?) -> ErrorMessage {
        let isUser = session?.user.isNobody == false
        return ErrorMessage(
            isUser ? .userLimit : .addressLimit,
            "this \(isUser ? "user" : "address") sends more in a second than it may",
            retryAfterMilliseconds: UInt32(clamping: wait))
    }
}
