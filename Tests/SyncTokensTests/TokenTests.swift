import SeededRandom
import SyncAccess
import SyncModel
import Testing

@testable import SyncTokens

/// Tokens are judged by the rules of RFC 7519, which are written down here once more. What a
/// stranger sends is never taken for a token of anybody.
@Suite("A token")
struct TokenTests {
    private static let now: UInt64 = 1_800_000_000

    private static func key(
        _ algorithm: SignatureAlgorithm = .eddsa, _ id: String = "main"
    ) throws -> SignatureKey {
        let text = algorithm == .rs256 ? KeyOfRSA.pem : try NewKey(algorithm, id: id).signing
        return try #require(try SignatureKey.read(text, named: id).first)
    }

    private static func claims(_ change: (inout Claims) -> Void = { _ in }) -> Claims {
        var claims = Claims(
            user: "ann", displayName: "Ann", id: "t-1", issued: now - 10, expires: now + 3600,
            rooms: ["team-*": "editor", "lobby": "viewer"])
        change(&claims)
        return claims
    }

    private static func failure(
        of token: String, _ keys: [SignatureKey], at time: UInt64 = now,
        policy: TokenPolicy = TokenPolicy()
    ) throws -> TokenFailure? {
        let verifier = KeyVerifier(try KeyRing(keys), policy: policy)
        do throws(TokenFailure) {
            _ = try verifier.verify(token, at: time)
            return nil
        } catch {
            return error
        }
    }

    private static func kind(
        of token: String, _ keys: [SignatureKey], at time: UInt64 = now,
        policy: TokenPolicy = TokenPolicy()
    ) throws -> TokenFailure.Kind? {
        try failure(of: token, keys, at: time, policy: policy)?.kind
    }

    @Test("with which a room is shared gives a role in that room alone")
    func shared() throws {
        let key = try TokenTests.key()
        let verifier = KeyVerifier(try KeyRing([key]))
        let room = try #require(RoomName("list"))
        let share = RoomShare(
            user: "share-1", displayName: "Guest", room: room, role: .viewer,
            sharer: Sharer(
                user: "ann", token: "t-1", key: "main", keyMark: key.mark,
                issued: TokenTests.now - 10), issued: TokenTests.now, expires: TokenTests.now + 60)
        let token = try #require(verifier.issue(share))
        let access = try verifier.verify(token, at: TokenTests.now + 59)
        #expect(access.user == "share-1" && access.displayName == "Guest")
        #expect(access.role(in: room) == .viewer)
        #expect(access.role(in: try #require(RoomName("list2"))) == nil)
        #expect(access.sharer == share.sharer && Sharer(access) == nil)
        #expect(verifier.knowsKeys(of: access))
        let own = try verifier.verify(
            try WebToken.sign(TokenTests.claims(), by: key), at: TokenTests.now)
        #expect(Sharer(own) == share.sharer)
        #expect(throws: TokenFailure.self) { try verifier.verify(token, at: TokenTests.now + 60) }
        let other = try NewKey(.eddsa, id: "public")
        let readers = try SignatureKey.read(other.verifying ?? "", named: "public")
        #expect(KeyVerifier(try KeyRing(readers)).issue(share) == nil)
    }

    @Test("with which a room is shared is good for as long as the policy says, and keys are there")
    func lifeOfShares() throws {
        let (key, other) = (try TokenTests.key(), try TokenTests.key(.es256, "other"))
        var policy = TokenPolicy()
        policy.maximumLifetime = 3600
        policy.maximumShareLifetime = 7200
        let both = KeyVerifier(try KeyRing([key, other]), policy: policy)
        func token(lifetime: UInt64) throws -> String {
            let sharer = Sharer(
                user: "ann", token: "t-1", key: other.id, keyMark: other.mark,
                issued: TokenTests.now)
            let share = RoomShare(
                user: "share-1", displayName: "", room: try #require(RoomName("list")),
                role: .viewer, sharer: sharer, issued: TokenTests.now,
                expires: TokenTests.now + lifetime)
            return try #require(both.issue(share))
        }
        let access = try both.verify(try token(lifetime: 7200), at: TokenTests.now)
        #expect(both.knowsKeys(of: access))
        #expect(throws: TokenFailure.self) {
            try both.verify(try token(lifetime: 7201), at: TokenTests.now)
        }
        // The sharer's key may go, or another one may get its id.
        for ring in [[key], [key, try TokenTests.key(.es256, "other")]] {
            let verifier = KeyVerifier(try KeyRing(ring), policy: policy)
            #expect(!verifier.knowsKeys(of: access))
        }
        for mark in ["", "0", "000000000000000g", "00000000000000000"] {
            var claims = TokenTests.claims()
            claims.sharer = Claims.Sharer(
                user: "ann", token: "t-1", key: "other", mark: mark, issued: 1)
            let failure = try TokenTests.failure(of: WebToken.sign(claims, by: key), [key])
            #expect(failure?.kind == .bad, "\(mark)")
            #expect(failure?.bearer?.sharer.isNobody == true, "\(mark)")
        }
    }

    @Test("that is refused has a bearer only if a key has signed it")
    func bearer() throws {
        let (key, other) = (try TokenTests.key(), try TokenTests.key())
        let late = TokenTests.now + 4000
        let token = try WebToken.sign(TokenTests.claims(), by: key)
        let expired = try TokenTests.failure(of: token, [key], at: late)
        #expect(expired?.kind == .expired)
        #expect(expired?.bearer == TokenBearer(user: "ann", tokenID: "t-1"))
        #expect(try TokenTests.failure(of: token, [other], at: late)?.bearer == nil)
        let nameless = try WebToken.sign(TokenTests.claims { $0.sub = "a\nb" }, by: key)
        let failure = try TokenTests.failure(of: nameless, [key])
        #expect(failure?.kind == .bad)
        #expect(failure?.bearer == TokenBearer(user: "", tokenID: "t-1"))
    }

    @Test("of each algorithm is taken", arguments: SignatureAlgorithm.allCases)
    func valid(algorithm: SignatureAlgorithm) throws {
        let key = try TokenTests.key(algorithm)
        let token = try WebToken.sign(TokenTests.claims(), by: key)
        let access = try KeyVerifier(try KeyRing([key])).verify(token, at: TokenTests.now)
        #expect(access.user == "ann" && access.displayName == "Ann")
        #expect(access.role(in: try #require(RoomName("team-a"))) == .editor)
        #expect(access.role(in: try #require(RoomName("lobby"))) == .viewer)
        #expect(access.role(in: try #require(RoomName("other"))) == nil)
        #expect(
            access.token
                == TokenFacts(
                    id: "t-1", key: "main", keyMark: key.mark, issued: TokenTests.now - 10,
                    expires: TokenTests.now + 3600))
    }

    @Test("is known until its key is gone", arguments: NewKey.algorithms)
    func keyOfToken(algorithm: SignatureAlgorithm) throws {
        let new = try NewKey(algorithm, id: "main")
        func read() throws -> KeyRing {
            try KeyRing(try SignatureKey.read(new.signing, named: "main"))
        }
        let verifier = KeyVerifier(try read())
        let key = try #require(try read()["main"])
        let access = try verifier.verify(
            try WebToken.sign(TokenTests.claims(), by: key), at: TokenTests.now)
        #expect(verifier.knowsKeys(of: access))
        #expect(verifier.replace(try read()) == [])
        #expect(verifier.knowsKeys(of: access))
        if let verifying = new.verifying {
            let open = try SignatureKey.read(verifying, named: "main")
            #expect(verifier.replace(try KeyRing(open)) == [])
            #expect(verifier.knowsKeys(of: access))
        }
        let replaced = verifier.replace(try KeyRing([try TokenTests.key(algorithm)]))
        #expect(replaced == [RetiredKey(id: "main", mark: key.mark, isReplaced: true)])
        #expect(!verifier.knowsKeys(of: access))
        let first = try TokenTests.key(algorithm, "second")
        verifier.replace(try KeyRing([key, first]))
        #expect(verifier.knowsKeys(of: access))
        let second = try TokenTests.key(algorithm, "second")
        #expect(
            verifier.replace(try KeyRing([second])) == [
                RetiredKey(id: "main", mark: key.mark, isReplaced: false),
                RetiredKey(id: "second", mark: first.mark, isReplaced: true),
            ])
        #expect(!verifier.knowsKeys(of: access))
    }

    @Test("with any character changed is refused", arguments: SignatureAlgorithm.allCases)
    func changed(algorithm: SignatureAlgorithm) throws {
        let key = try TokenTests.key(algorithm)
        let token = Array(try WebToken.sign(TokenTests.claims(), by: key).utf8)
        var random = SplitMix64(seed: 7)
        let letters = Array("ABCabc019-_.=+/\" \0é".utf8)
        for place in token.indices {
            var bytes = token
            let letter = letters[Int(random.next() % UInt64(letters.count))]
            guard bytes[place] != letter else { continue }
            bytes[place] = letter
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(try TokenTests.kind(of: text, [key]) != nil, "at \(place): \(text)")
        }
        for length in 0..<token.count where length % 7 == 0 {
            let text = String(decoding: token[..<length], as: UTF8.self)
            #expect(try TokenTests.kind(of: text, [key]) != nil)
        }
    }

    @Test("without a signature, or by an algorithm that is not its key's, is refused")
    func confusion() throws {
        let new = try NewKey(.eddsa, id: "main")
        let verifying = try #require(new.verifying)
        let key = try #require(try SignatureKey.read(verifying, named: "main").first)
        func token(_ header: String, _ signature: [UInt8]) throws -> String {
            let real = try WebToken.sign(
                TokenTests.claims(), by: signingKey)
            let payload = real.split(separator: ".")[1]
            return "\(Base64URL.encode(header.utf8)).\(payload).\(Base64URL.encode(signature))"
        }
        let signingKey = try #require(try SignatureKey.read(new.signing, named: "main").first)
        for name in ["none", "None", "NONE", "", "HS256", "ES256", "RS256", "eddsa"] {
            let header = #"{"alg":"\#(name)","kid":"main","typ":"JWT"}"#
            #expect(try TokenTests.kind(of: token(header, []), [key]) == .bad)
            // The public key as a secret: whoever takes it for one can be fooled by everybody.
            let secret = Array(verifying.utf8) + [UInt8](repeating: 0, count: 32)
            let fooled = try SignatureKey("main", secret: secret)
            let payload = try WebToken.sign(TokenTests.claims(), by: signingKey)
                .split(separator: ".")[1]
            let signed = "\(Base64URL.encode(header.utf8)).\(payload)"
            let signature = try #require(fooled.sign(Array(signed.utf8)))
            #expect(
                try TokenTests.kind(of: "\(signed).\(Base64URL.encode(signature))", [key]) == .bad)
        }
        let other = try TokenTests.key(.eddsa, "main")
        let stranger = try WebToken.sign(TokenTests.claims(), by: other)
        #expect(try TokenTests.kind(of: stranger, [key]) == .bad)
    }

    @Test("names the algorithm of its key, even if the signature is right")
    func algorithmIsTheKeys() throws {
        let key = try TokenTests.key()
        let payload = try WebToken.sign(TokenTests.claims(), by: key).split(separator: ".")[1]
        for name in ["none", "HS256", "ES256", "eddsa", ""] {
            let header = #"{"alg":"\#(name)","kid":"main"}"#
            let signed = "\(Base64URL.encode(header.utf8)).\(payload)"
            let signature = Base64URL.encode(try #require(key.sign(Array(signed.utf8))))
            #expect(try TokenTests.kind(of: "\(signed).\(signature)", [key]) == .bad)
        }
    }

    @Test("needs the id of a known key, and nothing critical that is not known")
    func header() throws {
        let key = try TokenTests.key()
        let other = try TokenTests.key(.eddsa, "other")
        let token = try WebToken.sign(TokenTests.claims(), by: other)
        #expect(try TokenTests.kind(of: token, [key]) == .unknownKey)
        #expect(try TokenTests.kind(of: token, [key, other]) == nil)
        func signed(_ header: String) throws -> String {
            let payload = token.split(separator: ".")[1]
            let text = "\(Base64URL.encode(header.utf8)).\(payload)"
            return "\(text).\(Base64URL.encode(try #require(key.sign(Array(text.utf8)))))"
        }
        #expect(
            try TokenTests.kind(of: signed(#"{"alg":"EdDSA","kid":"main"}"#), [key]) == nil)
        for header in [
            #"{"alg":"EdDSA"}"#, #"{"alg":"EdDSA","kid":"main","crit":["b64"],"b64":false}"#,
            #"{"alg":"EdDSA","kid":"main","crit":[]}"#, #"{"kid":"main"}"#, "[]", "", "{",
            #"{"alg":7,"kid":"main"}"#,
            String(repeating: "[", count: 5000), #"{"alg":"EdDSA","kid":["main"]}"#,
        ] {
            #expect(try TokenTests.kind(of: signed(header), [key]) == .bad, "\(header)")
        }
    }

    @Test("has times that are checked to the second")
    func times() throws {
        let key = try TokenTests.key()
        func kind(
            at time: UInt64 = TokenTests.now, _ change: (inout Claims) -> Void
        ) throws -> TokenFailure.Kind? {
            try TokenTests.kind(
                of: WebToken.sign(TokenTests.claims(change), by: key), [key], at: time)
        }
        let now = TokenTests.now
        #expect(try kind { $0.exp = Double(now) } == .expired)
        #expect(try kind { $0.exp = Double(now + 1) } == nil)
        #expect(try kind { $0.exp = Double(now - 5000) } == .expired)
        #expect(try kind { $0.iat = Double(now + 60) } == nil)
        #expect(try kind { $0.iat = Double(now + 61) } == .bad)
        #expect(try kind { $0.nbf = Double(now + 60) } == nil)
        #expect(try kind { $0.nbf = Double(now + 61) } == .bad)
        #expect(try kind { $0.exp = $0.iat + 86_400 } == nil)
        #expect(try kind { $0.exp = $0.iat + 86_401 } == .bad)
        for value in [-1, 1e11, 1e300, -.infinity, .greatestFiniteMagnitude] where value.isFinite {
            #expect(try kind { $0.iat = value } == .bad)
            #expect(try kind { $0.exp = value } != nil)
            #expect(try kind { $0.nbf = value } == .bad)
        }
    }

    @Test("has claims that are bounded, or it is refused")
    func bounds() throws {
        let key = try TokenTests.key()
        func kind(_ change: (inout Claims) -> Void) throws -> TokenFailure.Kind? {
            try TokenTests.kind(of: WebToken.sign(TokenTests.claims(change), by: key), [key])
        }
        #expect(try kind { $0.sub = "" } == .bad)
        #expect(try kind { $0.sub = String(repeating: "a", count: 128) } == nil)
        #expect(try kind { $0.sub = String(repeating: "a", count: 129) } == .bad)
        #expect(try kind { $0.sub = "a\nb" } == .bad)
        #expect(try kind { $0.jti = "" } == .bad)
        #expect(try kind { $0.name = nil } == nil)
        #expect(try kind { $0.name = String(repeating: "a", count: 257) } == .bad)
        #expect(try kind { $0.name = "a\u{1B}[2J" } == .bad)
        #expect(try kind { $0.rooms = ["a": "owner"] } == .bad)
        #expect(try kind { $0.rooms = ["a/b": "viewer"] } == .bad)
        #expect(try kind { $0.rooms = [:] } == nil)
        func rooms(_ count: Int) -> [String: String] {
            Dictionary(uniqueKeysWithValues: (0..<count).map { ("r\($0)", "viewer") })
        }
        #expect(try kind { $0.rooms = rooms(64) } == nil)
        #expect(try kind { $0.rooms = rooms(65) } == .bad)
        #expect(try kind { $0.rooms = rooms(10_000) } == .bad)
        #expect(try kind { $0.aud = .one("collsync") } == nil)
        #expect(try kind { $0.aud = .several(["other", "collsync"]) } == nil)
        #expect(try kind { $0.aud = .one("other") } == .bad)
        #expect(try kind { $0.aud = .several([]) } == .bad)
        #expect(try TokenTests.kind(of: String(repeating: "a", count: 1 << 20), [key]) == .bad)
        #expect(try TokenTests.kind(of: String(repeating: ".", count: 8192), [key]) == .bad)
    }

    @Test("without one of the claims that it needs is refused")
    func missingClaims() throws {
        let key = try TokenTests.key()
        func kind(_ claims: [(name: String, json: String)]) throws -> TokenFailure.Kind? {
            let payload = claims.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",")
            let header = Base64URL.encode(#"{"alg":"EdDSA","kid":"main"}"#.utf8)
            let signed = "\(header).\(Base64URL.encode("{\(payload)}".utf8))"
            let signature = try #require(key.sign(Array(signed.utf8)))
            return try TokenTests.kind(of: "\(signed).\(Base64URL.encode(signature))", [key])
        }
        let claims = [
            (name: "sub", json: #""ann""#), (name: "jti", json: #""t-1""#),
            (name: "iat", json: "\(TokenTests.now)"), (name: "exp", json: "\(TokenTests.now + 60)"),
            (name: "rooms", json: #"{"*":"viewer"}"#),
        ]
        #expect(try kind(claims) == nil)
        for (index, claim) in claims.enumerated() {
            var others = claims
            others.remove(at: index)
            #expect(try kind(others) == .bad, "without \(claim.name)")
            for json in ["null", "[]", "true", #""""#] {
                others = claims
                others[index].json = json
                #expect(try kind(others) == .bad, "\(claim.name) is \(json)")
            }
        }
        #expect(try kind([]) == .bad)
    }

    @Test("lasts as long, and is meant for whom, the server's policy says")
    func policy() throws {
        let key = try TokenTests.key()
        var policy = TokenPolicy()
        policy.maximumLifetime = 60
        policy.audience = "here"
        func kind(_ change: (inout Claims) -> Void) throws -> TokenFailure.Kind? {
            try TokenTests.kind(
                of: WebToken.sign(TokenTests.claims(change), by: key), [key], policy: policy)
        }
        #expect(try kind { $0.exp = $0.iat + 60 } == nil)
        #expect(try kind { $0.exp = $0.iat + 61 } == .bad)
        func audience(_ audience: Claims.Audience) throws -> TokenFailure.Kind? {
            try kind {
                $0.exp = $0.iat + 60
                $0.aud = audience
            }
        }
        #expect(try audience(.one("here")) == nil)
        #expect(try audience(.several(["collsync", "here"])) == nil)
        #expect(try audience(.one("collsync")) == .bad)
    }

    @Test("of a key that was replaced is not taken any more")
    func rotation() throws {
        let (old, new) = (
            try TokenTests.key(.eddsa, "a"), try TokenTests.key(.es256, "b")
        )
        let verifier = KeyVerifier(try KeyRing([old]))
        let token = try WebToken.sign(TokenTests.claims(), by: old)
        _ = try verifier.verify(token, at: TokenTests.now)
        verifier.replace(try KeyRing([old, new]))
        _ = try verifier.verify(token, at: TokenTests.now)
        _ = try verifier.verify(
            try WebToken.sign(TokenTests.claims(), by: new), at: TokenTests.now)
        verifier.replace(try KeyRing([new]))
        let failure = #expect(throws: TokenFailure.self) {
            try verifier.verify(token, at: TokenTests.now)
        }
        #expect(failure?.kind == .unknownKey)
    }
}
