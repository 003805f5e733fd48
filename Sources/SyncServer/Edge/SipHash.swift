import SyncBytes

/// SipHash-2-4 (Aumasson and Bernstein): a hash with a key. Without the key nobody can choose texts
/// that collide.
///
/// The loop of a room, and the place of an address in its table, depend on names that strangers
/// choose. With a hash without a key they could make all of them collide.
///
/// # Performance
/// Some 40 ns for a name of 20 bytes.
package struct SipHash: Sendable {
    private let key: (UInt64, UInt64)

    /// - Parameter key: random and secret.
    package init(key: (UInt64, UInt64)) {
        self.key = key
    }

    package func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = State(key)
        let whole = bytes.count & ~7
        for offset in stride(from: 0, to: whole, by: 8) {
            state.absorb(
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        for (place, byte) in bytes[whole...].enumerated() {
            last |= UInt64(byte) << (8 * UInt64(place))
        }
        state.absorb(last)
        return state.finish()
    }

    package func callAsFunction(_ text: String) -> UInt64 {
        text.withBytes { self($0) }
    }

    private struct State {
        var v0, v1, v2, v3: UInt64

        init(_ key: (UInt64, UInt64)) {
            v0 = key.0 ^ 0x736F_6D65_7073_6575
            v1 = key.1 ^ 0x646F_7261_6E64_6F6D
            v2 = key.0 ^ 0x6C79_6765_6E65_7261
            v3 = key.1 ^ 0x7465_6462_7974_6573
        }

        mutating func absorb(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finish() -> UInt64 {
            v2 ^= 0xFF
            for _ in 0..<4 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func round() {
            v0 = v0 &+ v1
            v1 = rotate(v1, 13) ^ v0
            v0 = rotate(v0, 32)
            v2 = v2 &+ v3
            v3 = rotate(v3, 16) ^ v2
            v0 = v0 &+ v3
            v3 = rotate(v3, 21) ^ v0
            v2 = v2 &+ v1
            v1 = rotate(v1, 17) ^ v2
            v2 = rotate(v2, 32)
        }

        private func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 {
            word << count | word >> (64 - count)
        }
    }
}
