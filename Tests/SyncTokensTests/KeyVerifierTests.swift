import SyncAccess
import SyncBytes
import Testing

@testable import SyncTokens

/// What is found out about a token without a worker, as it takes little time.
@Suite struct KeyVerifierTests {
    private func failure(of token: String, _ key: SignatureKey) throws -> TokenFailure.Kind? {
        let verifier = KeyVerifier(try KeyRing([key]))
        do throws(TokenFailure) {
            try verifier.check(ForeignText(bounded: token))
            return nil
        } catch {
            return error.kind
        }
    }

    private func key(_ id: String) throws -> SignatureKey {
        let new = try NewKey(.eddsa, id: id)
        return try #require(try SignatureKey.read(new.signing, named: id).first)
    }

    private func token(_ header: String, _ rest: String = "payload.signature") -> String {
        "\(Base64URL.encode(header.utf8)).\(rest)"
    }

    @Test func formKeyAndAlgorithmAreChecked() throws {
        let key = try key("main")
        for header in ["", "{", "[]", #"{"alg":"EdDSA"}"#, #"{"alg":"HS256","kid":"main"}"#] {
            #expect(try failure(of: token(header), key) == .bad, "\(header)")
        }
        #expect(try failure(of: token(#"{"alg":"EdDSA","kid":"other"}"#), key) == .unknownKey)
        #expect(try failure(of: "a.b.c", key) == .bad)
        #expect(
            try failure(
                of: token(#"{"alg":"EdDSA","kid":"main"}"#, String(repeating: "a", count: 1 << 20)),
                key) == .bad)
    }

    @Test func aHeaderHasABound() throws {
        let key = try key("main")
        func header(_ bytes: Int) -> String {
            let start = #"{"alg":"EdDSA","kid":"main","x":""#
            return start + String(repeating: "a", count: bytes - start.utf8.count - 2) + #""}"#
        }
        // Four letters stand for three bytes.
        #expect(try failure(of: token(header(1536)), key) == nil)
        #expect(try failure(of: token(header(1537)), key) == .bad)
    }

    /// The signature takes long, and so it is left to a worker.
    @Test func aSignatureIsNotChecked() throws {
        let (key, other) = (try key("main"), try key("main"))
        let claims = Claims(
            user: "ann", displayName: nil, id: "t-1", issued: 1_000_000, expires: 1_000_060,
            rooms: [:])
        let forged = try WebToken.sign(claims, by: other)
        #expect(try failure(of: forged, key) == nil)
        #expect(throws: TokenFailure.self) {
            try KeyVerifier(try KeyRing([key])).verify(forged, at: 1_000_000)
        }
    }
}
