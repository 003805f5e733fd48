import Glibc

/// An IP address as a number of 128 bits. IPv4 addresses are mapped to IPv6 (`::ffff:a.b.c.d`), so
/// an address has one form.
package struct NetworkAddress: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    /// The address of a peer whose address is not known.
    package static let unspecified = NetworkAddress(high: 0, low: 0)

    private static let version4Prefix: UInt64 = 0xFFFF_0000_0000

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(version4: UInt32) {
        self.init(high: 0, low: NetworkAddress.version4Prefix | UInt64(version4))
    }

    /// Parses a numeric address, without brackets. A zone after `%` is not part of the address.
    package init?(_ text: some StringProtocol) {
        let text = String(text.prefix { $0 != "%" })
        var version4 = in_addr()
        if inet_pton(AF_INET, text, &version4) == 1 {
            self.init(version4: UInt32(bigEndian: version4.s_addr))
            return
        }
        var version6 = in6_addr()
        guard inet_pton(AF_INET6, text, &version6) == 1 else { return nil }
        self = withUnsafeBytes(of: &version6) { NetworkAddress(version6: $0) }
    }

    /// Parses the host of `HOST:PORT`, as streams name their peers.
    package init?(peer: String) {
        guard let colon = peer.lastIndex(of: ":") else { return nil }
        var host = peer[..<colon]
        if host.hasPrefix("[") && host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        self.init(host)
    }

    /// - Parameter bytes: 16, most significant first.
    package init(version6 bytes: UnsafeRawBufferPointer) {
        func word(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        self.init(high: word(0), low: word(8))
    }

    package var isVersion4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// The address that limits count for: in IPv4 itself, and in IPv6 the network of 2⁶⁴ addresses
    /// that one customer has.
    package var holder: NetworkAddress {
        isVersion4 ? self : NetworkAddress(high: high, low: 0)
    }
}

/// All addresses that begin with the same bits, such as `10.0.0.0/8` or `fd00::/8`.
package struct AddressRange: Hashable, Sendable {
    private let first: NetworkAddress
    private let bits: Int

    /// Parses `ADDRESS/BITS`, or an address alone. Address bits after the first `BITS` are ignored.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = NetworkAddress(parts[0]), !parts[0].contains("%")
        else { return nil }
        // An address that is written as IPv4 has 32 bits.
        let skipped = parts[0].contains(":") ? 0 : 96
        var bits = 128
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let count = Int(parts[1]), count <= 128 - skipped
            else { return nil }
            bits = count + skipped
        }
        self.bits = bits
        first = AddressRange.masked(address, bits)
    }

    package func contains(_ address: NetworkAddress) -> Bool {
        AddressRange.masked(address, bits) == first
    }

    private static func masked(_ address: NetworkAddress, _ bits: Int) -> NetworkAddress {
        // Shifting by 64 or more gives 0.
        let high = UInt64.max << UInt64(max(0, 64 - bits))
        let low = UInt64.max << UInt64(max(0, 128 - bits))
        return NetworkAddress(high: address.high & high, low: address.low & low)
    }
}

/// The addresses that no limit by address applies to, and that may be proxies.
package struct TrustedAddresses: Hashable, Sendable {
    package var ranges: [AddressRange]

    /// Nobody.
    package static let none = TrustedAddresses(ranges: [])
    /// This machine.
    package static let loopback =
        TrustedAddresses("127.0.0.0/8,::1") ?? TrustedAddresses(ranges: [])

    package init(ranges: [AddressRange]) {
        self.ranges = ranges
    }

    /// Parses ranges with commas between them, or `none`.
    package init?(_ text: String) {
        guard text != "none" else {
            self = .none
            return
        }
        var ranges: [AddressRange] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let range = AddressRange(part) else { return nil }
            ranges.append(range)
        }
        self.ranges = ranges
    }

    package func contains(_ address: NetworkAddress) -> Bool {
        ranges.contains { $0.contains(address) }
    }
}
