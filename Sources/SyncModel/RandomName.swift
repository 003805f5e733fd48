/// Names that nobody else makes: a prefix and thirteen random characters.
package enum RandomName {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    package static func make(prefix: StaticString, random: UInt64) -> Identifier {
        var bytes: [UInt8] = []
        prefix.withUTF8Buffer { bytes.append(contentsOf: $0) }
        var rest = random
        for _ in 0..<13 {
            bytes.append(alphabet[Int(rest & 31)])
            rest >>= 5
        }
        return bytes.withUnsafeBytes { Identifier(trusted: $0) }
    }
}
