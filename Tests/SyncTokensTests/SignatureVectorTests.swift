import Testing

@testable import SyncTokens

/// Signatures that others have published, and those by which other verifiers were fooled.
@Suite("A signature")
struct SignatureVectorTests {
    private static let joe = """
        eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0\
        cnVlfQ
        """
    private static let frodo = """
        SXTigJlzIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb\
        250byB0aGUgcm9hZCwgYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpb\
        mcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4
        """

    struct Vector: Sendable {
        let source: String
        let key: String
        let message: String
        let signature: String
    }

    private static let vectors = [
        Vector(
            source: "RFC 7515, A.1",
            key: """
                {"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0i\
                PS4hcgUuTwjAzZr1Z9CAow"}
                """,
            message: "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(joe)",
            signature: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
        Vector(
            source: "RFC 7515, A.3",
            key: """
                {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
                "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
                """,
            message: "eyJhbGciOiJFUzI1NiJ9.\(joe)",
            signature: """
                DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6\
                NU1Q
                """),
        Vector(
            source: "RFC 7520, 4.1",
            key: """
                {"kty":"RSA","n":"n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRoj\
                dNhxJWTDvNd7nqQ0VEiZQHz_AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQL\
                rHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC\
                0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3\
                __kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw","e":"AQAB"}
                """,
            message: """
                eyJhbGciOiJSUzI1NiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.\(frodo)
                """,
            signature: """
                MRjdkly7_-oTPTS3AXP41iQIGKa80A0ZmTuV5MEaHoxnW2e5CZ5NlKtainoFmKZopdHM1O2U4mwzJdQx99\
                6ivp83xuglII7PNDi84wnB-BDkoBwA78185hX-Es4JIwmDLJK3lfWRa-XtL0RnltuYv746iYTh_qHRD68B\
                Nt1uSNCrUCTJDt5aAE6x8wW1Kt9eRo4QPocSadnHXFxnt8Is9UzpERV0ePPQdLuW3IS_de3xyIrDaLGdjl\
                uPxUAhb6L2aXic1U12podGU0KLUQSE_oI-ZnmKJ3F4uOZDnd6QZWJushZ41Axf_fcIe8u9ipH84ogoree7\
                vjbU5y18kDquDg
                """),
        Vector(
            source: "RFC 7520, 4.4",
            key: #"{"kty":"oct","k":"hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg"}"#,
            message: """
                eyJhbGciOiJIUzI1NiIsImtpZCI6IjAxOGMwYWU1LTRkOWItNDcxYi1iZmQ2LWVlZjMxNGJjNzAzNyJ9.\
                \(frodo)
                """,
            signature: "s0h6KThzkfBBBkLspW1h84VsJZFTsPPqMDA7g1Md7p0"),
        Vector(
            source: "RFC 8037, A.4",
            key: """
                {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
                """,
            message: "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
            signature: """
                hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM\
                0KAg
                """),
    ]

    @Test("of a specification is right, and nothing like it is", arguments: vectors)
    func specified(vector: Vector) throws {
        let key = try #require(try SignatureKey.read(vector.key, named: "key").first)
        let signature = try #require(Base64URL.decode(vector.signature.utf8))
        let message = Array(vector.message.utf8)
        #expect(key.verify(signature, of: message), "\(vector.source)")
        #expect(!key.verify(signature, of: message + [0]))
        #expect(!key.verify(signature + [0], of: message))
        #expect(!key.verify([0] + signature, of: message))
        for count in [0, 1, signature.count / 2, signature.count - 1] {
            #expect(!key.verify(Array(signature.prefix(count)), of: message))
        }
        for place in signature.indices {
            var other = signature
            other[place] ^= 0x10
            #expect(!key.verify(other, of: message), "\(vector.source), byte \(place)")
        }
    }

    /// The order of P-256.
    private static let order: [UInt8] =
        [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8)
        + [
            0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63,
            0x25,
            0x51,
        ]

    @Test("of ES256 by numbers that there are in none is wrong")
    func degenerate() throws {
        let new = try NewKey(.es256, id: "main")
        let key = try #require(try SignatureKey.read(new.signing, named: "main").first)
        let zero = [UInt8](repeating: 0, count: 32)
        let numbers = [
            zero, zero.dropLast() + [1], Self.order.dropLast() + [0x50], Self.order,
            [UInt8](repeating: 0xFF, count: 32),
        ]
        for first in numbers {
            for second in numbers {
                #expect(!key.verify(first + second, of: [1, 2, 3]), "\(first) \(second)")
            }
        }
        // A signature in the form that other protocols have.
        let signature = try #require(key.sign([1, 2, 3]))
        #expect(key.verify(signature, of: [1, 2, 3]))
        #expect(!key.verify(signature.prefix(32) + [0] + signature.suffix(32), of: [1, 2, 3]))
        let parts = [signature.prefix(32), signature.suffix(32)].map { DER.integer(Array($0)) }
        #expect(!key.verify(DER.sequence(parts), of: [1, 2, 3]))
    }

    @Test("of EdDSA has one spelling")
    func malleable() throws {
        // The order of the group, the lowest byte first.
        let order: [UInt8] =
            [
                0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9,
                0xDE, 0x14,
            ] + [UInt8](repeating: 0, count: 15) + [0x10]
        let new = try NewKey(.eddsa, id: "main")
        let key = try #require(try SignatureKey.read(new.signing, named: "main").first)
        var signature = try #require(key.sign([7]))
        #expect(key.verify(signature, of: [7]))
        var carry = 0
        for (place, byte) in order.enumerated() {
            let sum = Int(signature[32 + place]) + Int(byte) + carry
            signature[32 + place] = UInt8(sum & 0xFF)
            carry = sum >> 8
        }
        #expect(!key.verify(signature, of: [7]))
    }
}
