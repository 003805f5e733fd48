import SeededRandom
import SyncServer
import Testing

/// Headers of the PROXY protocol.
@Suite struct ProxyHeaderTests {
    /// A header with an arbitrary body.
    static func header(_ command: UInt8, _ family: UInt8, _ body: [UInt8]) -> [UInt8] {
        Array("\r\n\r\n\0\r\nQUIT\n".utf8)
            + [command, family, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
    }

    static func version4(_ source: [UInt8], port: UInt16, _ more: [UInt8] = []) -> [UInt8] {
        header(
            0x21, 0x11,
            source + [10, 0, 0, 1] + [UInt8(port >> 8), UInt8(port & 0xFF), 0x1C, 0xFC] + more)
    }

    private func read(_ bytes: some Collection<UInt8>) -> ProxyHeader {
        Array(bytes).withUnsafeBytes { ProxyHeader($0) }
    }

    @Test func addressesAreRead() throws {
        // A checksum and an authority, which the server ignores.
        let more: [UInt8] = [0x03, 0, 4, 1, 2, 3, 4, 0x02, 0, 1, 0x61]
        let whole = Self.version4([192, 0, 2, 7], port: 5000, more)
        let source = ProxyHeader.Source(
            address: try #require(NetworkAddress("192.0.2.7")), text: "192.0.2.7:5000")
        #expect(read(whole) == .whole(source: source, byteCount: whole.count))
        #expect(read(whole + [1, 2, 3]) == .whole(source: source, byteCount: whole.count))
        for count in 0..<whole.count { #expect(read(whole.prefix(count)) == .incomplete) }
        let address: [UInt8] = [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        let long = Self.header(0x21, 0x21, address + address + [0x13, 0x88, 0, 1])
        #expect(
            read(long)
                == .whole(
                    source: .init(
                        address: try #require(NetworkAddress("2001:db8::1")),
                        text: "[2001:db8:0:0:0:0:0:1]:5000"), byteCount: long.count))
    }

    @Test func someSayNoAddress() {
        for (command, family) in [(0x20, 0x00), (0x20, 0x11), (0x21, 0x00), (0x21, 0x31)]
            as [(UInt8, UInt8)]
        {
            let bytes = Self.header(command, family, [1, 2, 3])
            #expect(read(bytes) == .whole(source: nil, byteCount: bytes.count))
        }
    }

    @Test func othersAreRefused() {
        let whole = Self.version4([192, 0, 2, 7], port: 5000)
        for place in 0..<12 {
            var bytes = whole
            bytes[place] ^= 1
            #expect(isMalformed(bytes.prefix(place + 1)), "at the first wrong byte")
        }
        let body = [UInt8](repeating: 0, count: 40)
        for (command, family) in [
            (0x11, 0x11), (0x22, 0x11), (0x21, 0x12), (0x21, 0x22), (0x21, 0x41), (0x00, 0x11),
        ] as [(UInt8, UInt8)] {
            #expect(isMalformed(Self.header(command, family, body)))
        }
        #expect(isMalformed(Self.header(0x21, 0x11, [UInt8](repeating: 0, count: 11))))
        #expect(isMalformed(Self.header(0x21, 0x21, [UInt8](repeating: 0, count: 35))))
        // A length over the limit is refused before the announced bytes come.
        let long = Self.header(0x21, 0x11, [UInt8](repeating: 0, count: 4081))
        #expect(isMalformed(long.prefix(16)))
        #expect(!isMalformed(Self.header(0x21, 0x11, [UInt8](repeating: 0, count: 4080))))
    }

    @Test func noiseIsSomething() {
        var numbers = SplitMix64(seed: 3)
        for _ in 0..<5000 {
            var bytes = Self.version4([1, 2, 3, 4], port: 5, [1, 2, 3])
            for _ in 0...numbers.next() % 3 {
                bytes[Int(numbers.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: numbers.next())
            }
            let cut = bytes.prefix(Int(numbers.next() % UInt64(bytes.count + 1)))
            if case .whole(_, let count) = read(cut) { #expect(count <= cut.count) }
        }
    }

    private func isMalformed(_ bytes: some Collection<UInt8>) -> Bool {
        if case .malformed = read(bytes) { return true }
        return false
    }
}
