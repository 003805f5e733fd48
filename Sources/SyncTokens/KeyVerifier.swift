package import SyncAccess
package import SyncBytes
import SyncJSON
package import SyncModel
import Synchronization

/// Verifies tokens by a ring of keys, which can be replaced while a server runs.
package final class KeyVerifier: TokenVerifier {
    private let ring: Mutex<KeyRing>
    private let policy: TokenPolicy

    package init(_ ring: KeyRing, policy: TokenPolicy = TokenPolicy()) {
        self.ring = Mutex(ring)
        self.policy = policy
    }

    /// Replaces the keys. Tokens of keys that are gone are not accepted any more.
    ///
    /// - Returns: the keys that are gone, by their ids.
    @discardableResult
    package func replace(_ keys: KeyRing) -> [RetiredKey] {
        ring.withLock { ring in
            defer { ring = keys }
            return ring.ids.sorted().compactMap { id in
                let successor = keys[id]
                guard let mark = ring[id]?.mark, mark != successor?.mark else { return nil }
                return RetiredKey(id: id, mark: mark, isReplaced: successor != nil)
            }
        }
    }

    package func check(_ token: ForeignText) throws(TokenFailure) {
        _ = try WebToken.header(of: token).signer(in: ring.withLock { $0 })
    }

    package func verify(_ token: ForeignText, at now: UInt64) throws(TokenFailure) -> Access {
        let token = try WebToken(parsing: token)
        let (claims, key) = try token.claims(in: ring.withLock { $0 })
        do throws(TokenFailure) {
            return try claims.access(by: key, at: now, policy)
        } catch {
            throw TokenFailure(error.kind, error.text, of: claims.bearer)
        }
    }

    package func knowsKey(_ id: Identifier, mark: UInt64) -> Bool {
        ring.withLock { $0[id] }?.mark == mark
    }
}

extension KeyVerifier: TokenIssuer {
    package var maximumShareLifetime: UInt64 { policy.maximumShareLifetime }

    package func issue(_ share: RoomShare) -> String? {
        guard let key = ring.withLock({ $0.signing }) else { return nil }
        var claims = Claims(
            user: share.user.text, displayName: share.displayName.isEmpty ? nil : share.displayName,
            id: share.user.text, issued: share.issued, expires: share.expires,
            rooms: [share.room.text: share.role.name])
        claims.sharer = Claims.Sharer(share.sharer)
        claims.aud = .one(policy.audience)
        return try? WebToken.sign(claims, by: key)
    }
}
