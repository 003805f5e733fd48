/// SHA-256 (FIPS 180-4) and the keyed hash made of it, HMAC (RFC 2104).
///
/// It is for bytes that come once a connection or less often, such as a client's secret. Which
/// instructions run and which memory they read does not depend on the values of the bytes.
package struct SHA256 {
    package static let byteCount = 32
    private static let blockBytes = 64

    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
        0x5be0_cd19,
    ]
    /// The bytes of the next block so far.
    private var rest: [UInt8] = []
    private var messageBytes: UInt64 = 0

    package init() {
        rest.reserveCapacity(SHA256.blockBytes)
    }

    /// Hashes the next bytes of the message.
    package mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            rest.append(byte)
            messageBytes &+= 1
            if rest.count == SHA256.blockBytes { compress() }
        }
    }

    /// The hash of all bytes so far.
    package consuming func finish() -> [UInt8] {
        let bitCount = messageBytes &* 8
        rest.append(0x80)
        while rest.count != SHA256.blockBytes - 8 {
            if rest.count == SHA256.blockBytes { compress() } else { rest.append(0) }
        }
        for shift in stride(from: 56, through: 0, by: -8) {
            rest.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
        }
        compress()
        return state.flatMap { word in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    /// The hash of a message.
    package static func hash(_ message: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(message)
        return hash.finish()
    }

    /// The hash of a message under a key.
    package static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > blockBytes ? SHA256.hash(key) : key
        block += Array(repeating: 0, count: blockBytes - block.count)
        var inner = SHA256()
        inner.update(block.map { $0 ^ 0x36 })
        inner.update(message)
        var outer = SHA256()
        outer.update(block.map { $0 ^ 0x5c })
        outer.update(inner.finish())
        return outer.finish()
    }

    /// Hashes a whole block.
    private mutating func compress() {
        var words: [UInt32] = []
        words.reserveCapacity(SHA256.constants.count)
        for start in stride(from: 0, to: SHA256.blockBytes, by: 4) {
            words.append(rest[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
        }
        rest.removeAll(keepingCapacity: true)
        for index in 16..<SHA256.constants.count {
            let (first, second) = (words[index - 15], words[index - 2])
            let small0 = first.rotated(7) ^ first.rotated(18) ^ first >> 3
            let small1 = second.rotated(17) ^ second.rotated(19) ^ second >> 10
            words.append(words[index - 16] &+ small0 &+ words[index - 7] &+ small1)
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for (constant, word) in zip(SHA256.constants, words) {
            let large1 = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
            let choice = (e & f) ^ (~e & g)
            let first = h &+ large1 &+ choice &+ constant &+ word
            let large0 = a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ large0 &+ majority)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
        0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
        0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
        0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
        0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
        0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
        0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
        0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
        0xc671_78f2,
    ]
}

extension UInt32 {
    fileprivate func rotated(_ count: UInt32) -> UInt32 {
        self >> count | self << (32 - count)
    }
}
