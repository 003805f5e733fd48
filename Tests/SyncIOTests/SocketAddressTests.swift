import SyncIO
import SyncLoop
import Testing

@Suite("Socket addresses")
struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1:7420", "127.0.0.1", 7420), ("[::1]:7420", "::1", 7420),
        ("localhost:0", "localhost", 0), ("0.0.0.0:65535", "0.0.0.0", 65_535),
        ("sync.example.org:80", "sync.example.org", 80), ("[fe80::1%eth0]:1", "fe80::1%eth0", 1),
        ("bücher.example:1", "bücher.example", 1),
    ])
    func anAddressIsReadAndWritten(_ text: String, _ host: String, _ port: Int) throws {
        let address = try SocketAddress(parsing: text)
        #expect(address.host == host)
        #expect(Int(address.port) == port)
        #expect(address.description == text)
    }

    @Test(arguments: [
        "", ":", "localhost", "localhost:", ":7420", "localhost:65536", "localhost:-1",
        "localhost:+1", "localhost: 1", "localhost:1 ", "localhost:٣", "::1:7420", "::1", "[::1]",
        "[::1", "[::1:7420", "::1]:7420", "[]:7420", "[localhost]:7420", "[:7420", "a b:1",
        "a\u{0}b:1", "a\nb:1", "[[::1]]:1", "http://localhost:80", "localhost:18446744073709551617",
    ])
    func whatIsNoAddressIsRefused(_ text: String) {
        #expect(throws: IOError.badAddress(text)) { try SocketAddress(parsing: text) }
    }

    @Test(arguments: [
        "127.0.0.1", "127.255.0.3", "localhost", "LocalHost", "::1", "0:0:0:0:0:0:0:1",
        "0::1", "::0:1", "0:0:0::0:0:0001", "0:0:0:0:0:0::1",
    ])
    func loopbackIsKnown(_ host: String) {
        #expect(SocketAddress(host: host, port: 1).isLoopback)
    }

    @Test(arguments: [
        "127.evil.com", "127.0.0.1.evil.com", "127.1", "127", "127.0.0.256", "0.0.0.0", "::2",
        "1::1", "::1::1", ":::1", ":1", "0:1", "0:0:0:0:0:0:0:0:1", "0:0:0:0:0:0:0::1", "::+1",
        "::",
        "::00001", "0:::1", "::1:", "::g", "127.0.0.01", "127.0.0", "127.0.0.+1", "10.0.0.1",
        "128.0.0.1", "localhost.evil.com", "", "::ffff:10.0.0.1",
    ])
    func whatOthersMayReachIsNoLoopback(_ host: String) {
        #expect(!SocketAddress(host: host, port: 1).isLoopback)
    }
}
