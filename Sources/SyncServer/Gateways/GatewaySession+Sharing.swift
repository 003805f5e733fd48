package import SyncAccess
import SyncIO
package import SyncModel
import SyncRoom
package import SyncWire

extension GatewaySession {
    /// What comes of sharing a room.
    package enum Sharing {
        case shared(RoomShare, token: String)
        case refused(ErrorMessage)
    }

    /// Makes a token with which the session's user shares a room.
    ///
    /// - Parameters:
    ///   - lifetime: for how many seconds; `nil` for as long as rooms may be shared.
    ///   - goOn: is called on the loop, later or within this call.
    package func share(
        _ room: RoomName, as role: Role, named displayName: String, lifetime: UInt64?,
        then goOn: @escaping (Sharing) -> Void
    ) {
        guard let session else {
            return goOn(.refused(ErrorMessage(.internalError, "the session has ended")))
        }
        do throws(RoomRefusal) {
            let (share, issuer) = try session.makeShare(room, role, displayName, lifetime)
            session.issue(share, by: issuer) { token in
                guard let token else {
                    return goOn(
                        .refused(ErrorMessage(.unsupported, "no key of the server can sign")))
                }
                goOn(.shared(share, token: token))
            }
        } catch {
            session.note(.share, in: room, error.code, error.text)
            goOn(
                .refused(
                    ErrorMessage(
                        error.code, error.text,
                        retryAfterMilliseconds: error.retryAfterMilliseconds)))
        }
    }
}

extension Session {
    /// Checks what the user may share.
    fileprivate func makeShare(
        _ room: RoomName, _ role: Role, _ displayName: String, _ lifetime: UInt64?
    ) throws(RoomRefusal) -> (RoomShare, any TokenIssuer) {
        guard let issuer = configuration.tokens?.issuer else {
            throw RoomRefusal(
                code: .notAllowed,
                text: "this server signs no tokens: see --share-rooms")
        }
        let own = principal.access.role(in: room)
        guard phase == .open, !hasExpired, let own, own >= role,
            let sharer = Sharer(principal.access)
        else { throw .denied }
        // In a token it would be a pattern.
        guard !room.text.utf8.contains(UInt8(ascii: "*")) else {
            throw RoomRefusal(
                code: .badRoomName, text: "a room whose name has a '*' can't be shared")
        }
        let longest = issuer.maximumShareLifetime
        guard (1...longest).contains(lifetime ?? longest) else {
            throw RoomRefusal(
                code: .limitExceeded,
                text: "a room may be shared for 1 to \(longest) seconds")
        }
        if let refusal = usage.account?.takeNewShare(at: loop.loop.nowMilliseconds) {
            throw refusal
        }
        let now = loop.loop.wallClockMilliseconds / 1000
        let name = RandomName.make(
            prefix: RoomShare.userPrefix, random: loop.loop.random())
        return (
            RoomShare(
                user: name, displayName: displayName, room: room, role: role, sharer: sharer,
                issued: now, expires: now + (lifetime ?? longest)),
            issuer
        )
    }

    fileprivate func issue(
        _ share: RoomShare, by issuer: any TokenIssuer, then goOn: @escaping (String?) -> Void
    ) {
        note(.share, in: share.room, nil, "\(share.role.name) for \(share.user)")
        let post = loop.peers[loop.index]
        // One thread after the other uses it.
        nonisolated(unsafe) let goOn = goOn
        loop.context.jobs.add(.work, for: JobOwner(holder)) {
            let token = issuer.issue(share)
            post.post { _ in goOn(token) }
        }
    }
}
