import SyncAccess
import Testing

@testable import SyncTokens

@Suite("Keys")
struct KeyTests {
    @Test("made here are read back, and the public part only verifies")
    func made() async throws {
        for algorithm in SignatureAlgorithm.allCases {
            let new = try NewKey(algorithm, id: "main")
            let signing = try await SignatureKey.read(new.signing, named: "main")
            #expect(signing.map(\.id) == ["main"] && signing[0].signs)
            #expect(signing[0].algorithm == algorithm)
            guard let text = new.verifying else { continue }
            let verifying = try await SignatureKey.read(text, named: "main")
            #expect(verifying.count == 1 && !verifying[0].signs)
            #expect(verifying[0].verify(try signing[0].sign([1, 2]), of: [1, 2]))
            #expect(throws: KeyError.self) {
                try WebToken.sign(
                    Claims(user: "a", id: "t", issued: 0, expires: 1, rooms: [:]), by: verifying[0])
            }
        }
    }

    // The keys of RFC 8037, appendix A, and RFC 7515, appendices A.3 and A.1.
    private static let set = """
        {"keys":[
          {"kty":"OKP","crv":"Ed25519","kid":"ed","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},
          {"kty":"EC","crv":"P-256","kid":"ec","use":"sig","alg":"ES256",
           "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
           "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
          {"kty":"oct","kid":"hs",
           "k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"},
          {"kty":"RSA","kid":"rsa","n":"AQAB","e":"AQAB","alg":"RS256"},
          {"kty":"EC","crv":"P-256","kid":"enc","use":"enc","x":"AA","y":"AA"}
        ]}
        """

    @Test("of a set are read, without those that are not for these signatures")
    func set() async throws {
        let keys = try await SignatureKey.read(KeyTests.set, named: "file")
        #expect(keys.map(\.id) == ["ed", "ec", "hs"])
        #expect(keys.map(\.algorithm) == [.eddsa, .es256, .hs256])
        #expect(keys.map(\.signs) == [false, false, true])
        let header = "eyJhbGciOiJFZERTQSJ9"
        let signature = """
            hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
            """
        let message = "\(header).RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
        let bytes = try #require(Base64URL.decode(signature.utf8))
        #expect(keys[0].verify(bytes, of: Array(message.utf8)))
        #expect(!keys[0].verify(bytes, of: Array(message.utf8.dropLast())))
    }

    @Test(
        "that can't be used are refused",
        arguments: [
            "", "{}", "nonsense", #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#,
            #"{"kty":"oct","kid":"short","k":"AAAA"}"#,
            #"{"kty":"OKP","crv":"Ed25519","kid":"a","x":"AA"}"#,
            #"{"kty":"OKP","crv":"Ed448","kid":"a","x":"AA"}"#,
            #"{"kty":"EC","crv":"P-256","kid":"a","x":"AA","y":"AA"}"#,
            #"{"kty":"EC","crv":"P-256","kid":"a","d":"AA"}"#,
            #"{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"}"#,
            #"{"kty":"OKP","crv":"Ed25519","kid":"a","alg":"HS256","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
        ])
    func wrong(text: String) async {
        await #expect(throws: KeyError.self) { try await SignatureKey.read(text, named: "file") }
    }

    @Test("of one id are refused, and so is a ring without keys")
    func ring() async throws {
        let keys = try await SignatureKey.read(KeyTests.set, named: "file")
        #expect(try KeyRing(keys).ids == ["ed", "ec", "hs"])
        #expect(throws: KeyError("two keys have the id 'ed'")) { try KeyRing(keys + [keys[0]]) }
        #expect(throws: KeyError("there is no key")) { try KeyRing([]) }
    }

    @Test("appear in no text that is printed")
    func secrecy() async throws {
        let text = #"{"kty":"oct","kid":"hs","k":"c2VjcmV0LXNlY3JldA"}"#
        let failure = await #expect(throws: KeyError.self) {
            try await SignatureKey.read(text, named: "file")
        }
        #expect(failure?.description.contains("c2Vj") == false)
    }
}
