import CollSync
import CollSyncUV
import SyncIO
import SyncTLS
import Testing

/// How an app names a server.
@Suite struct ServerAddressTests {
    @Test(arguments: [
        ("ws://example.org", "example.org:80", "example.org", "/v1/ws"),
        ("ws://example.org/", "example.org:80", "example.org", "/v1/ws"),
        ("WS://example.org:80", "example.org:80", "example.org", "/v1/ws"),
        ("ws://example.org:443/v1/ws", "example.org:443", "example.org:443", "/v1/ws"),
        ("ws://127.0.0.1:7421/a//b/", "127.0.0.1:7421", "127.0.0.1:7421", "/a//b/"),
        ("wss://example.org", "example.org:443", "example.org", "/v1/ws"),
        ("wss://example.org:443/%20", "example.org:443", "example.org", "/%20"),
        ("wss://example.org:80", "example.org:80", "example.org:80", "/v1/ws"),
        ("Wss://[::1]", "[::1]:443", "[::1]", "/v1/ws"),
        ("wss://[::1]:1/x", "[::1]:1", "[::1]:1", "/x"),
        ("ws://[fe80::1%eth0]", "[fe80::1%eth0]:80", "[fe80::1]", "/v1/ws"),
    ])
    func urlsAreRead(_ text: String, _ socket: String, _ host: String, _ target: String) throws {
        let address = try ServerAddress(parsing: text)
        #expect(address.socket.description == socket)
        let isSecured = text.lowercased().hasPrefix("wss")
        #expect(
            address.door
                == .webSocket(
                    ServerAddress.WebSocketDoor(
                        isSecured: isSecured, host: host, target: target)))
    }

    @Test(arguments: ["127.0.0.1:7420", "[::1]:7420", "bücher.example:1"])
    func othersAreFrames(_ text: String) throws {
        let address = try ServerAddress(parsing: text)
        #expect(address.door == .frames)
        #expect(address.socket.description == text)
    }

    @Test(arguments: [
        "ws://", "ws:///v1/ws", "ws://:80", "ws://host:", "ws://host:65536", "ws://host:-1",
        "ws://::1", "ws://[::1", "ws://[]", "ws://[::1]x", "ws://a b", "ws://host/a b",
        "ws://host/\u{0}", "ws://host/\r\nX: y", "ws://host\r\nX: y", "ws://bücher.example",
        "ws://host/ä", "ws://host?room=r", "ws://host/v1/ws?token=t", "ws://host/#x", "ws://host#x",
        "://host", "http://host", "https://host:443", "collsync://host:1", "wsx://host",
        "127.0.0.1:1://host", "host", "ws:host",
    ])
    func othersAreRefused(_ text: String) {
        #expect {
            try ServerAddress(parsing: text)
        } throws: { error in
            (error as? CollectionError)?.code == "badAddress"
        }
    }

    /// An error is logged.
    @Test(arguments: [
        "ws://ann:secret@host", "wss://secret@host:443/", "ws://secret@[::1]:80", "ws://:secret@",
        "ws://host/secret?secret", "https://ann:secret@host", "ws://secret@host:99999",
    ])
    func noErrorQuotesAPassword(_ text: String) {
        #expect {
            try ServerAddress(parsing: text)
        } throws: { error in
            "\(error)".contains("secret") == false
        }
    }

    @Test func tlsBelongsToWSS() async throws {
        let tls = try TLSClient()
        await #expect {
            try await CollectionClient.connect(to: "ws://127.0.0.1:1", tls: tls)
        } throws: { error in
            (error as? CollectionError)?.code == "badAddress"
        }
    }
}
