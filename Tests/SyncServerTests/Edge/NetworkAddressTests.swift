import SeededRandom
import SyncServer
import Testing

/// Addresses and ranges of them.
@Suite struct NetworkAddressTests {
    @Test func oneAddressHasOneForm() throws {
        let plain = try #require(NetworkAddress("192.0.2.7"))
        #expect(NetworkAddress("::ffff:192.0.2.7") == plain)
        #expect(NetworkAddress("::ffff:c000:207") == plain)
        #expect(NetworkAddress(peer: "192.0.2.7:5000") == plain)
        #expect(NetworkAddress(peer: "[::ffff:192.0.2.7]:5000") == plain)
        #expect(plain.isVersion4 && plain.holder == plain && "\(plain)" == "192.0.2.7")
        let local = try #require(NetworkAddress("fe80::1%eth0"))
        #expect(local == NetworkAddress("fe80::1"))
        #expect(
            NetworkAddress("2001:db8:1:2:3::")?.holder == NetworkAddress("2001:db8:1:2::9")?.holder)
        #expect(
            NetworkAddress("2001:db8:1:2::")?.holder != NetworkAddress("2001:db8:1:3::")?.holder)
        for text in ["", "localhost", "1.2.3", "1.2.3.4.5", "::1::", "1.2.3.4:5", "[::1]"] {
            #expect(NetworkAddress(text) == nil, "\(text)")
        }
    }

    @Test func descriptionsAreRead() {
        var numbers = SplitMix64(seed: 7)
        for _ in 0..<200 {
            let address = Self.address(&numbers)
            #expect(NetworkAddress(address.description) == address)
        }
    }

    /// Compared with texts of bits.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func rangesAreThoseOfTheirFirstBits(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let first = Self.address(&numbers)
            let count = Int(numbers.next() % (first.isVersion4 ? 33 : 129))
            let range = try #require(AddressRange("\(first)/\(count)"))
            let bits = first.isVersion4 ? count + 96 : count
            // An address that differs from the first one in a single random bit.
            let flipped = Int(numbers.next() % 128)
            let other = NetworkAddress(
                high: flipped < 64 ? first.high ^ (1 << UInt64(63 - flipped)) : first.high,
                low: flipped < 64 ? first.low : first.low ^ (1 << UInt64(127 - flipped)))
            for address in [first, other, Self.address(&numbers)] {
                let isInside = Self.bits(address).prefix(bits) == Self.bits(first).prefix(bits)
                #expect(range.contains(address) == isInside, "\(address) in \(first)/\(count)")
            }
        }
    }

    @Test func rangesAreReadStrictly() throws {
        for text in [
            "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "a/8", "/8", "",
        ] {
            #expect(AddressRange(text) == nil, "\(text)")
            #expect(TrustedAddresses(text) == nil, "\(text)")
        }
        let trusted = try #require(TrustedAddresses("10.0.0.0/8,fd00::/8,192.0.2.1"))
        for (text, isTrusted) in [
            ("10.9.8.7", true), ("11.0.0.0", false), ("fdff::1", true), ("fe00::1", false),
            ("192.0.2.1", true), ("192.0.2.2", false), ("::ffff:10.1.1.1", true),
        ] {
            #expect(trusted.contains(try #require(NetworkAddress(text))) == isTrusted, "\(text)")
        }
        #expect(TrustedAddresses("none") == TrustedAddresses.none)
        #expect(TrustedAddresses("none,10.0.0.0/8") == nil)
        for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            #expect(TrustedAddresses.loopback.contains(try #require(NetworkAddress(text))))
        }
    }

    private static func address(_ numbers: inout SplitMix64) -> NetworkAddress {
        if numbers.next() % 2 == 0 {
            return NetworkAddress(version4: UInt32(truncatingIfNeeded: numbers.next()))
        }
        return NetworkAddress(high: numbers.next(), low: numbers.next())
    }

    private static func bits(_ address: NetworkAddress) -> [Bool] {
        [address.high, address.low].flatMap { word in
            (0..<64).map { word >> (63 - UInt64($0)) & 1 == 1 }
        }
    }
}
