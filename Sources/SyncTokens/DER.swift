/// The few values of ASN.1's distinguished encoding (X.690) that OpenSSL reads a key from.
enum DER {
    static func sequence(_ parts: [[UInt8]]) -> [UInt8] {
        value(0x30, Array(parts.joined()))
    }

    /// - Parameter magnitude: the number's bytes, the highest first; leading zeros are left out.
    static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        var bytes = Array(magnitude.drop { $0 == 0 })
        // The highest bit is the sign.
        if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
        return value(0x02, bytes)
    }

    private static func value(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        if bytes.count < 0x80 { return [tag, UInt8(bytes.count)] + bytes }
        var (length, rest): ([UInt8], Int) = ([], bytes.count)
        while rest > 0 {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + bytes
    }

    /// The public key of P-256 with an uncompressed point (RFC 5480), up to the point.
    static let pointHead: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
        0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]
    /// The private key of P-256 (RFC 5915) before and behind its 32 bytes.
    static let scalarHead: [UInt8] = [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20]
    static let scalarEnd: [UInt8] = [
        0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
    ]
}
