import FoundationEssentials
import JWTKit
package import SyncModel

/// How a key signs. Each key has one algorithm, so a token can't choose another for it.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case eddsa = "EdDSA"
    case es256 = "ES256"
    case hs256 = "HS256"
}

/// A key with its id, that verifies tokens and may be able to sign them.
package struct SignatureKey: Sendable {
    package let id: Identifier
    package let algorithm: SignatureAlgorithm
    /// Whether it can also sign.
    package let signs: Bool
    /// Tells it from other keys with the same id: the first bytes of a hash of what verifies.
    let mark: UInt64
    private let signer: any JWTAlgorithm

    init(
        id: Identifier, algorithm: SignatureAlgorithm, signs: Bool, mark: UInt64,
        signer: any JWTAlgorithm
    ) {
        self.id = id
        self.algorithm = algorithm
        self.signs = signs
        self.mark = mark
        self.signer = signer
    }

    /// Whether a signature is this key's. The time does not depend on what a signature of HS256
    /// should have been.
    func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        (try? signer.verify(signature, signs: message)) ?? false
    }

    func sign(_ message: [UInt8]) throws -> [UInt8] {
        try signer.sign(message)
    }
}

/// Bytes as base64url without padding, as tokens have them (RFC 7515).
enum Base64URL {
    /// The bytes of a text; `nil` if another text is the usual one for them.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes = text.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
        guard let data = Data(base64Encoded: Data(bytes)), encode(data).utf8.elementsEqual(text)
        else { return nil }
        return [UInt8](data)
    }

    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in Data(bytes).base64EncodedData() {
            switch byte {
            case UInt8(ascii: "+"): text += "-"
            case UInt8(ascii: "/"): text += "_"
            case UInt8(ascii: "="): break
            default: text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text
    }
}
