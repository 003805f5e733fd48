import SyncIO
import SyncWire

/// The renewal of a connection's token, before that expires.
struct TokenRenewal {
    /// When the token expires, by the loop's clock.
    let deadline: UInt64
    var backOff: BackOff
    /// Until the next request of the source.
    var timer: (any Timer)?
    /// The request that shows the new token, while it is unanswered.
    var request: RequestID?
}

// The tokens of a session: one for each hello, and new ones while a connection lasts.
extension ClientSession {
    /// A longer lifetime counts as this one: a month.
    private static let longestLifetimeMilliseconds: UInt64 = 30 * 24 * 3_600_000

    /// Whether a new token may be accepted where the last one was not.
    private var hasFreshTokens: Bool { options.token?.isFixed == false }

    /// Whether nobody on the way to the server can read a token.
    var mayShowToken: Bool {
        options.security?.isConfidential == true || options.address.isLoopback
            || options.sendsTokenInClear
    }

    /// Whether the session goes on after an error. The server's word counts, except about tokens.
    func mayRetry(after error: ClientError) -> Bool {
        switch error {
        case .server(.tokenExpired, _, _, _), .server(.unknownKey, _, _, _): hasFreshTokens
        case .server(let code, _, _, _) where code.endsSignIn: false
        case .noToken: error.retry && hasFreshTokens
        default: error.retry
        }
    }

    // MARK: Renewal

    /// Begins to wait until it is time for a new token.
    ///
    /// - Parameter milliseconds: after how long the token expires, as the server says; 0 if never.
    func awaitRenewal(ofTokenFor milliseconds: UInt64) {
        endRenewal()
        guard hasFreshTokens, milliseconds > 0 else { return }
        let lifetime = min(milliseconds, ClientSession.longestLifetimeMilliseconds)
        renewal = TokenRenewal(
            deadline: loop.nowMilliseconds + lifetime, backOff: options.renewalBackOff)
        // At random between 70 and 90 %, so that not all clients of a restarted server ask at once.
        renew(afterMilliseconds: lifetime * 7 / 10 + loop.random() % (lifetime / 5 + 1))
    }

    func endRenewal() {
        renewal?.timer?.cancel()
        renewal = nil
    }

    private func renew(afterMilliseconds delay: UInt64) {
        renewal?.timer = loop.schedule(afterMilliseconds: delay) { [weak self] in
            guard let self else { return }
            tokens?.fetch(withinMilliseconds: options.handshakeMilliseconds) { [weak self] in
                self?.showNewToken($0)
            }
        }
    }

    private func showNewToken(_ result: Result<AccessToken, ClientError>) {
        guard case .ready(let connection, _, _, _) = state, renewal != nil else { return }
        switch result {
        case .success(let token):
            let request = makeRequestID()
            renewal?.request = request
            connection.send(.renew(Renew(request: request, token: token.text)))
        case .failure(let error): didNotRenew(error)
        }
    }

    /// The server has accepted the new token. An answer that is not awaited is ignored.
    func didRenew(_ renewed: Renewed) {
        guard renewal?.request == renewed.request else { return }
        awaitRenewal(ofTokenFor: renewed.tokenMilliseconds)
    }

    /// The source has no new token, or the server does not accept it. The connection still has the
    /// old one, so there is time until that expires.
    func didNotRenew(_ error: ClientError) {
        guard var renewal else { return }
        guard mayRetry(after: error) else {
            // An older server, for example, knows no renewals.
            if error.endsSignIn { end(error) } else { endRenewal() }
            return
        }
        renewal.request = nil
        let delay = renewal.backOff.next(random: loop.random())
        self.renewal = renewal
        if loop.nowMilliseconds + delay < renewal.deadline {
            renew(afterMilliseconds: delay)
        } else {
            endRenewal()
        }
    }
}

extension ClientError {
    /// Whether it says that no token will be accepted.
    fileprivate var endsSignIn: Bool {
        switch self {
        case .server(let code, _, _, _): code.endsSignIn
        case .noToken: true
        default: false
        }
    }

    /// The same error, of a session that goes on.
    var allowingRetry: ClientError {
        if case .server(let code, let message, _, let wait) = self {
            .server(code, message: message, retry: true, afterMilliseconds: wait)
        } else {
            self
        }
    }
}

extension ErrorCode {
    fileprivate var endsSignIn: Bool {
        switch self {
        case .needsToken, .unsecured, .badToken, .tokenRevoked: true
        default: false
        }
    }
}
