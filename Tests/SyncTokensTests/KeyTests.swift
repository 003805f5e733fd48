import SyncAccess
import Testing

@testable import SyncTokens

@Suite("Keys")
struct KeyTests {
    @Test("made here are read back, and the public part only verifies")
    func made() throws {
        for algorithm in NewKey.algorithms {
            let new = try NewKey(algorithm, id: "main")
            let signing = try SignatureKey.read(new.signing, named: "main")
            #expect(signing.map(\.id) == ["main"] && signing[0].signs)
            #expect(signing[0].algorithm == algorithm)
            guard let text = new.verifying else { continue }
            let verifying = try SignatureKey.read(text, named: "main")
            #expect(verifying.count == 1 && !verifying[0].signs)
            #expect(verifying[0].verify(try #require(signing[0].sign([1, 2])), of: [1, 2]))
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
          {"kty":"RSA","kid":"rsa","n":"AQAB","e":"AQAB","alg":"PS256"},
          {"kty":"EC","crv":"P-256","kid":"ops","key_ops":["deriveKey"],"x":"AA","y":"AA"},
          {"kty":"EC","crv":"P-256","kid":"enc","use":"enc","x":"AA","y":"AA"}
        ]}
        """

    @Test("of a set are read, without those that are not for these signatures")
    func set() throws {
        let keys = try SignatureKey.read(KeyTests.set, named: "file")
        #expect(keys.map(\.id) == ["ed", "ec", "hs"])
        #expect(keys.map(\.algorithm) == [.eddsa, .es256, .hs256])
        #expect(keys.map(\.signs) == [false, false, true])
    }

    @Test("of RSA are read from PEM and JWK, and have the same mark")
    func rsa() throws {
        let pem = try #require(try SignatureKey.read(KeyOfRSA.pem, named: "rsa").first)
        let json = try #require(try SignatureKey.read(KeyOfRSA.json, named: "file").first)
        #expect(pem.signs && json.signs && json.algorithm == .rs256 && pem.mark == json.mark)
        let signature = try #require(pem.sign([1, 2]))
        #expect(json.verify(signature, of: [1, 2]) && json.sign([1, 2]) == signature)
        #expect(throws: KeyError("keys of RS256 are not made here")) {
            try NewKey(.rs256, id: "rsa")
        }
    }

    @Test("have the mark that stores and tokens of shares already have")
    func marks() throws {
        let keys = try SignatureKey.read(KeyTests.set, named: "file")
        #expect(
            keys.map { String($0.mark, radix: 16) } == [
                "21fe31dfa154a261", "8814082e01ad9085", "c8ecc9361a05e285",
            ])
    }

    @Test("of RSA with another key's private part, or a long exponent, are refused")
    func brokenRSA() throws {
        let other = KeyOfRSA.json(KeyOfRSA.json, modulus: KeyOfRSA.otherModulus)
        #expect(throws: KeyError.self) { try SignatureKey.read(other, named: "a") }
        func verifying(_ modulus: String) throws -> [SignatureKey] {
            try SignatureKey.read(
                KeyOfRSA.json(KeyOfRSA.publicJSON, modulus: modulus), named: "a")
        }
        #expect(try verifying(KeyOfRSA.otherModulus).count == 1)
        #expect(throws: KeyError.self) { try verifying(KeyOfRSA.shortModulus) }
        let long = Base64URL.encode([UInt8](repeating: 0xFF, count: 9))
        let slow = KeyOfRSA.publicJSON.replacing(#""e":"AQAB""#, with: #""e":"\#(long)""#)
        #expect(try SignatureKey.read(KeyOfRSA.publicJSON, named: "a").count == 1)
        #expect(throws: KeyError.self) { try SignatureKey.read(slow, named: "a") }
    }

    @Test("whose private part is another key's are refused")
    func pairs() throws {
        let (one, other) = (
            "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A", String(repeating: "A", count: 43)
        )
        let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
        func read(_ d: String) throws -> [SignatureKey] {
            try SignatureKey.read(
                #"{"kty":"OKP","crv":"Ed25519","d":"\#(d)","x":"\#(x)"}"#, named: "a")
        }
        #expect(try read(one).first?.signs == true)
        #expect(throws: KeyError("the key 'a' is damaged")) { try read(other) }
    }

    /// A key of Ed25519 that a password protects.
    private static let sealed = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhhXTvv8nXw9AICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEENI32deRzQtcKTR6GhEkonMEQEoC
        RHPrd1qCaTb/7RzqOm40YrZvwSti64qU3whmrKEGtT0jzJmdrGvJxyn4+gPXFWeZ
        2KTmPB49PcuRmx/8FfQ=
        -----END ENCRYPTED PRIVATE KEY-----
        """

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
            KeyOfRSA.json.replacing(#""e":"AQAB""#, with: #""e":"AQ""#),
            KeyOfRSA.json.replacing(#""qi":"#, with: #""other":"#),
            KeyTests.sealed,
            #"{"kty":"OKP","crv":"Ed25519","kid":"a","alg":"HS256","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
        ])
    func wrong(text: String) {
        #expect(throws: KeyError.self) { try SignatureKey.read(text, named: "file") }
    }

    @Test("and tokens have one text in base64url")
    func base64() {
        #expect(Base64URL.decode("".utf8) == [] && Base64URL.decode("AA".utf8) == [0])
        #expect(Base64URL.decode("-_8".utf8) == [0xFB, 0xFF])
        for wrong in ["A", "AB", "AAB", "AA=", "AA==", "+_8", "-/8", "AA ", " AA", "AAAAA", "é"] {
            #expect(Base64URL.decode(wrong.utf8) == nil, "\(wrong)")
        }
        var random = SystemRandomNumberGenerator()
        for count in 0..<100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(Base64URL.decode(Base64URL.encode(bytes).utf8) == bytes)
        }
    }

    @Test("of one id are refused, but for the two files of a new key")
    func ring() throws {
        let keys = try SignatureKey.read(KeyTests.set, named: "file")
        #expect(try KeyRing(keys).ids == ["ed", "ec", "hs"])
        #expect(throws: KeyError("two keys have the id 'ed'")) { try KeyRing(keys + [keys[0]]) }
        #expect(throws: KeyError("there is no key")) { try KeyRing([]) }
        let (new, other) = (try NewKey(.eddsa, id: "a"), try NewKey(.eddsa, id: "a"))
        func read(_ texts: String?...) throws -> [SignatureKey] {
            try texts.flatMap { try SignatureKey.read(try #require($0), named: "a") }
        }
        for pair in [try read(new.signing, new.verifying), try read(new.verifying, new.signing)] {
            #expect(try KeyRing(pair).ids == ["a"] && KeyRing(pair).signing != nil)
        }
        for pair in [
            try read(new.signing, other.verifying), try read(new.signing, new.signing),
            try read(new.signing, other.signing), try read(new.verifying, new.verifying),
        ] {
            #expect(throws: KeyError("two keys have the id 'a'")) { try KeyRing(pair) }
        }
    }

    @Test("appear in no text that is printed")
    func secrecy() throws {
        let text = #"{"kty":"oct","kid":"hs","k":"c2VjcmV0LXNlY3JldA"}"#
        let failure = #expect(throws: KeyError.self) {
            try SignatureKey.read(text, named: "file")
        }
        #expect(failure?.description.contains("c2Vj") == false)
    }
}
