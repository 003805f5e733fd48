import COpenSSL
import SyncBytes

/// The key that a client makes for one handshake. The answer proves that the server has read the
/// request, and knows what it is for (RFC 6455, 1.3).
struct HandshakeKey: Sendable {
    let text: String

    /// - Returns: `nil` if this is not the base64 form of 16 bytes.
    init?(_ key: ForeignText) {
        text = key.shown
        let digits = text.utf8.dropLast(2)
        guard digits.count == 22, text.utf8.suffix(2).elementsEqual("==".utf8),
            digits.allSatisfy(HandshakeKey.isDigit)
        else { return nil }
    }

    /// Makes a new one.
    init(random: () -> UInt64) {
        let numbers = [random(), random()]
        text = numbers.withUnsafeBytes { HandshakeKey.base64($0) }
    }

    /// What the server has to answer.
    var answer: String {
        let hashed = Array((text + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
        SHA1(hashed, hashed.count, &digest)
        return digest.withUnsafeBytes { HandshakeKey.base64($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static func base64(_ bytes: UnsafeRawBufferPointer) -> String {
        // OpenSSL adds a zero behind the digits.
        var digits = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let source = bytes.bindMemory(to: UInt8.self)
        let count = EVP_EncodeBlock(&digits, source.baseAddress, Int32(clamping: bytes.count))
        return String(decoding: digits.prefix(Int(count)), as: UTF8.self)
    }
}
