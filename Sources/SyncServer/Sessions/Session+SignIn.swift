import SyncAccess
import SyncIO
import SyncModel
import SyncRoom
import SyncWire

/// For whom a connection acts, and until when.
struct Principal {
    let access: Access
    /// When its token expires, by the loop's clock.
    var deadline = UInt64.max

    /// Nobody has signed in.
    static let nobody = Principal(access: Access(user: .nobody, grants: []))
    /// The server asks for no tokens.
    static let everyone = Principal(access: Access(unlimited: .nobody))
}

/// What a token is for, while it is verified. Nothing more is read meanwhile.
indirect enum TokenCheck {
    case hello(Hello)
    case renewal(RequestID)
}

// Who a connection acts for: from its hello, and anew with each new token.
extension Session {
    /// Whether its token has expired.
    var hasExpired: Bool { loop.loop.nowMilliseconds >= principal.deadline }

    func expire() {
        fail(.tokenExpired, "the token has expired")
    }

    func greet(_ hello: Hello) {
        guard WireProtocol.version(for: hello) != nil else {
            return fail(
                .unsupportedVersion,
                "this server speaks versions \(WireProtocol.versions.lowerBound) to"
                    + " \(WireProtocol.versions.upperBound)")
        }
        if configuration.tokens == nil {
            return welcomeByCertificate(hello)
        }
        guard !hello.token.isEmpty else {
            return refuseSignIn(.needsToken, "this server asks for a token")
        }
        guard maySendTokens else {
            return refuseSignIn(
                .unsecured,
                "a token is only taken over TLS or from the server's own machine; see"
                    + " --tls-by-proxy")
        }
        verify(hello.token, for: .hello(hello))
    }

    private func welcomeByCertificate(_ hello: Hello) {
        guard let certificate = transport.secured?.certificate else {
            return welcome(hello, .everyone)
        }
        // Only such a name can be taken back.
        guard let name = try? Identifier(certificate.name) else {
            return refuseSignIn(
                .badToken,
                "the certificate's name is longer than \(Identifier.maximumLength) bytes, or has"
                    + " control characters")
        }
        let access = Access(
            unlimited: UserName(name), certificateIssued: certificate.begins)
        guard let rest = loop.context.revocations.remainder(of: access) else {
            return refuseSignIn(
                .tokenRevoked, "the certificate was revoked", of: TokenBearer(access))
        }
        welcome(hello, Principal(access: rest))
    }

    func renew(_ renew: Renew) {
        guard configuration.tokens != nil else {
            return refuse(renew.request, .unsupported, "this server asks for no tokens")
        }
        guard begin(renew.request, on: loop.index) else { return }
        verify(renew.token, for: .renewal(renew.request))
    }

    /// Whether nobody on the way can read its tokens.
    private var maySendTokens: Bool {
        transport.secured != nil || configuration.tokens?.areTakenFromAnywhere == true
            || NetworkAddress(peer: peer).map(TrustedAddresses.loopback.contains) == true
    }

    /// Verifies a token on a worker, as that may take a millisecond.
    private func verify(_ token: ForeignText, for check: TokenCheck) {
        guard let tokens = configuration.tokens else { return }
        inbox.tokenCheck = check
        do throws(TokenFailure) {
            try tokens.verifier.check(token)
        } catch {
            return didVerify(.failure(error))
        }
        let (id, now) = (id, loop.loop.wallClockMilliseconds / 1000)
        let post = loop.peers[loop.index]
        loop.context.jobs.add(.opening, for: JobOwner(holder)) {
            let result: Result<Access, TokenFailure>
            do throws(TokenFailure) {
                result = .success(try tokens.verifier.verify(token, at: now))
            } catch {
                result = .failure(error)
            }
            post.post { $0.connections[id]?.didVerify(result) }
        }
    }

    func didVerify(_ result: Result<Access, TokenFailure>) {
        guard let check = inbox.tokenCheck.take(), phase == .greeting || phase == .open else {
            return
        }
        let result = stillValid(result)
        switch check {
        case .hello(let hello): welcome(hello, result)
        case .renewal(let request): finish(request, with: answer(to: request, result))
        }
        if inbox.mayHaveInput { loop.flush(self) }
    }

    /// Checks again what may have changed since a token was verified. Whatever changes later finds
    /// the connection among those that have signed in.
    private func stillValid(
        _ result: Result<Access, TokenFailure>
    ) -> Result<Access, TokenFailure> {
        guard case .success(let access) = result else { return result }
        guard let rest = loop.context.revocations.remainder(of: access) else {
            return .failure(
                TokenFailure(.revoked, "the token was revoked", of: TokenBearer(access)))
        }
        if configuration.tokens?.verifier.knowsKeys(of: access) == false {
            return .failure(.unknownKey)
        }
        return .success(rest)
    }

    private func welcome(_ hello: Hello, _ result: Result<Access, TokenFailure>) {
        switch result {
        case .success(let access): welcome(hello, principal(by: access))
        case .failure(let failure):
            refuseSignIn(ErrorCode(failure.kind), failure.text, of: failure.bearer)
        }
    }

    private func refuseSignIn(_ code: ErrorCode, _ text: String, of bearer: TokenBearer? = nil) {
        note(.signIn, code, text, of: bearer)
        fail(code, text)
    }

    private func welcome(_ hello: Hello, _ principal: Principal) {
        phase = .open
        let bearer = TokenBearer(principal.access)
        guard signIn(as: bearer) else { return }
        self.principal = principal
        if !user.isNobody { note(.signIn, nil, hello.agent) }
        inbox.frames = FrameDecoder(maximumFrameBytes: configuration.wire.clientFrameBytes)
        var welcome = Welcome(
            version: WireProtocol.version(for: hello) ?? WireProtocol.versions.upperBound,
            features: hello.features.intersection(.all), agent: configuration.agent,
            heartbeatMilliseconds: configuration.connections.heartbeatMilliseconds,
            limits: configuration.wire)
        welcome.user = user.text
        welcome.tokenMilliseconds = millisecondsLeft
        send(.welcome(welcome))
        features = hello.features.intersection(.all)
        loop.context.log.log(
            .debug, "a client said hello",
            ["peer": peer, "user": user.text, "agent": hello.agent])
    }

    /// Takes over a new token. The connection keeps the old one if the new one is not accepted.
    private func answer(
        to request: RequestID, _ result: Result<Access, TokenFailure>
    ) -> ServerMessage {
        func error(_ code: ErrorCode, _ text: String, of bearer: TokenBearer?) -> ServerMessage {
            note(.renew, code, text, of: bearer)
            return .error(ErrorMessage(code, text, about: .request(request)))
        }
        switch result {
        case .failure(let failure):
            return error(ErrorCode(failure.kind), failure.text, of: failure.bearer)
        case .success(let access)
        where access.user != user || access.sharer?.user != principal.access.sharer?.user:
            return error(.badToken, "the token is of another user", of: TokenBearer(access))
        case .success(let access):
            principal = self.principal(by: access)
            adoptRoles()
            return .renewed(Renewed(request: request, tokenMilliseconds: millisecondsLeft))
        }
    }

    private func principal(by access: Access) -> Principal {
        guard let token = access.token else { return Principal(access: access) }
        let (now, wallClock) = (loop.loop.nowMilliseconds, loop.loop.wallClockMilliseconds)
        let end = token.expires &* 1000
        return Principal(access: access, deadline: now &+ (end - min(end, wallClock)))
    }

    private var millisecondsLeft: UInt64 {
        principal.deadline == .max ? 0 : max(1, principal.deadline &- loop.loop.nowMilliseconds)
    }

    /// Gives its memberships the roles of a new token, and ends those that have none.
    private func adoptRoles() {
        for membership in memberships {
            guard let index = self.membership(membership.handle) else { continue }
            if let role = principal.access.role(in: membership.room) {
                setRole(role, at: index)
            } else {
                endMembership(at: index, .denied)
            }
        }
    }
}

extension Session {
    /// Changes what it may do in a room, and has the room know.
    func setRole(_ role: Role, at index: Int) {
        if memberships[index].role == role { return }
        memberships[index].role = role
        loop.onRoom(memberships[index].handle) { [id] in $0.change(role, of: id) }
    }
}

extension ErrorCode {
    init(_ kind: TokenFailure.Kind) {
        switch kind {
        case .bad: self = .badToken
        case .unknownKey: self = .unknownKey
        case .expired: self = .tokenExpired
        case .revoked: self = .tokenRevoked
        }
    }
}
