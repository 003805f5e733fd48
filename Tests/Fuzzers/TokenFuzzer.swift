import SyncAccess
import SyncBytes
import SyncModel
import SyncTokens

/// Tokens and key files of strangers.
///
/// - What no key of the ring has signed is refused, and so is a signed token whose claims break a
///   rule of `Protocol/access.md`.
/// - Any text is a file of keys, or has an error that is a sentence.
enum TokenFuzzer {
    private static let now: UInt64 = 1_800_000_000
    private static let secret = """
        {"kty":"oct","kid":"main","k":"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE"}
        """
    private static let key: SignatureKey = {
        guard let key = readKeys(secret)?.first else { finding("the key can't be read") }
        return key
    }()
    private static let verifier: KeyVerifier = {
        do throws(KeyError) {
            return KeyVerifier(try KeyRing([key]))
        } catch {
            finding("\(error)")
        }
    }()

    static func run(_ input: UnsafeRawBufferPointer) {
        var choices = InputBytes(input)
        switch choices.below(3) {
        case 0: verify(text(&choices))
        case 1: verifySigned(&choices)
        default: _ = readKeys(text(&choices))
        }
    }

    private static func text(_ choices: inout InputBytes) -> String {
        String(decoding: choices.rest, as: UTF8.self)
    }

    /// A token that nobody has signed.
    private static func verify(_ token: String) {
        do throws(TokenFailure) {
            let access = try verifier.verify(ForeignText(bounded: token), at: now)
            finding("\(access.user) is let in by a token that nobody has signed")
        } catch {
            expect(!error.text.isEmpty, "there is no reason")
        }
    }

    /// A token with any claims, that a key has signed; perhaps damaged after that.
    private static func verifySigned(_ choices: inout InputBytes) {
        let claims = claims(&choices)
        do throws(KeyError) {
            var token = try WebToken.sign(claims, by: key)
            let isDamaged = choices.oneIn(4)
            if isDamaged { token.insert("A", at: token.startIndex) }
            check(token, claims, isDamaged: isDamaged)
        } catch {
            // JSON has no number for it.
        }
    }

    private static func check(_ token: String, _ claims: Claims, isDamaged: Bool) {
        do throws(TokenFailure) {
            let access = try verifier.verify(ForeignText(bounded: token), at: now)
            expect(!isDamaged, "a damaged token is accepted")
            expect(token.utf8.count <= TokenBounds.maximumBytes, "the token is too long")
            expect(claims.exp > Double(now), "the token has expired")
            expect(claims.iat <= Double(now + TokenBounds.clockSkew) + 1, "it is of the future")
            expect(claims.exp - claims.iat <= 86_401, "it lasts too long")
            expect((1...128).contains(access.user.text.utf8.count), "the user is '\(access.user)'")
            expect((1...128).contains(access.token?.id.text.utf8.count ?? 0), "the token has no id")
            expect(access.displayName.utf8.count <= 256, "the name is too long")
            expect(access.roles.grants.count == claims.rooms.count, "there are other grants")
            expect(access.roles.grants.count <= Access.maximumGrants, "there are too many grants")
        } catch {
            expect(!error.text.isEmpty, "there is no reason")
        }
    }

    private static func claims(_ choices: inout InputBytes) -> Claims {
        let times: [UInt64] = [
            now, now + 1, now - 1, now - 10, now + 60, now + 61, now + 3600, now + 86_400,
            now + 86_401, 0, 1, .max, 100_000_000_000, 253_402_300_800,
        ]
        func time() -> UInt64 { times[choices.below(times.count)] }
        let (issued, expires) = (time(), time())
        let name = choices.oneIn(2) ? word(&choices) : nil
        var claims = Claims(
            user: word(&choices), displayName: name, id: word(&choices), issued: issued,
            expires: expires, rooms: [:])
        if choices.oneIn(4) { claims.iat = -1 }
        if choices.oneIn(8) { claims.exp = .infinity }
        if choices.oneIn(4) { claims.nbf = Double(times[choices.below(times.count)]) + 0.5 }
        if choices.oneIn(4) { claims.aud = .several([word(&choices), "collsync"]) }
        let roles = ["viewer", "editor", "admin", "owner"]
        for number in 0..<choices.below(70) where !choices.isAtEnd {
            let pattern = choices.oneIn(2) ? word(&choices) : "r\(number)*"
            claims.rooms[pattern] = roles[choices.below(roles.count)]
        }
        return claims
    }

    private static func word(_ choices: inout InputBytes) -> String {
        let count = choices.below(12)
        let word = choices.text(bytes: count)
        return String(repeating: word, count: choices.oneIn(8) ? 32 : 1)
    }

    /// The keys of a file; `nil` if it is none.
    static func readKeys(_ text: String) -> [SignatureKey]? {
        let keys = try? SignatureKey.read(text, named: "file")
        for key in keys ?? [] {
            expect((1...128).contains(key.id.text.utf8.count), "a key's id is '\(key.id)'")
        }
        return keys
    }
}
