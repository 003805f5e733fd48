import SyncAccess
import SyncBytes
import SyncHTTP
import SyncModel
import SyncServer
import Testing

/// A page whose name leads to this machine is of the server's own origin, as browsers see it. It is
/// refused by its name (DNS rebinding).
@Suite struct HostTests {
    private struct Anybody: TokenVerifier {
        func verify(_ token: ForeignText, at seconds: UInt64) throws(TokenFailure) -> Access {
            Access(unlimited: UserName(stringLiteral: token.shown))
        }

        func knowsKey(_ id: Identifier, mark: UInt64) -> Bool { true }
    }

    private static func options(origins: [String] = []) -> HTTPOptions {
        var options = HTTPOptions()
        options.isForThisMachine = true
        options.origins = origins
        return options
    }

    private func status(
        _ target: String = "/v1/rooms", by method: String = "GET", host: String,
        _ fields: String = "", of client: HTTPClient
    ) throws -> HTTPClient.Answer {
        client.send("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n")
        return try client.takeAnswer()
    }

    @Test func aServerOfThisMachineHasNoOtherName() throws {
        let client = try HTTPWorld(options: HostTests.options()).connect()
        for host in [
            "localhost", "LocalHost:7421", "127.0.0.1:7421", "127.9.8.7", "[::1]:7421",
            "[0:0:0:0:0:0:0:1]",
        ] {
            #expect(try status(host: host, of: client).status == 200, "\(host)")
        }
        for host in [
            "evil.example", "evil.example:7421", "localhost.evil.example", "127.0.0.1.evil.example",
            "evil.localhost", "192.0.2.1", "0.0.0.0", "[::2]", "[2001:db8::1]:7421", "127.1", "::1",
        ] {
            let answer = try status(host: host, of: client)
            #expect(answer.status == 421, "\(host)")
            #expect(answer.text.contains(#""code":"notAllowed""#))
        }
        // It changes nothing, and learns nothing, whatever the origin is.
        let origin = "Origin: http://evil.example\r\n"
        for (method, target) in [
            ("PUT", "/v1/rooms/list"), ("OPTIONS", "/v1/rooms"), ("GET", "/healthz"),
            ("GET", "/v1/ws?room=list"),
        ] {
            let answer = try status(
                target, by: method, host: "evil.example", origin, of: client)
            #expect(answer.status == 421, "\(method) \(target)")
        }
        #expect(try status("/v1/rooms/list", host: "localhost", of: client).status == 404)
    }

    @Test func aProgramNeedsNoHost() throws {
        let client = try HTTPWorld(options: HostTests.options()).connect()
        client.send("GET /v1/rooms HTTP/1.0\r\n\r\n")
        #expect(client.world.run { client.isClosed })
        #expect(client.receivedText.hasPrefix("HTTP/1.1 200 "))
    }

    @Test func theHostsOfAdmittedOriginsAreNames() throws {
        let options = HostTests.options(origins: ["https://app.example:8443", "http://[::2]"])
        let client = try HTTPWorld(options: options).connect()
        for host in ["app.example:8443", "App.Example", "[::2]:80"] {
            #expect(try status(host: host, of: client).status == 200, "\(host)")
        }
        for host in ["https:8443", "https", "example", "app.example.evil.example", "[::3]"] {
            #expect(try status(host: host, of: client).status == 421, "\(host)")
        }
    }

    /// A token keeps pages away, which have none.
    @Test func aServerThatAsksForTokensTakesAnyName() throws {
        let world = try HTTPWorld(options: HostTests.options()) {
            $0.tokens = TokenAuthentication(Anybody())
            $0.tokens?.areTakenFromAnywhere = true
        }
        let token = "Authorization: Bearer ann\r\n"
        let answer = try status(host: "evil.example", token, of: world.connect())
        #expect(answer.status == 200)
        // Nobody needs one for the metrics.
        let metrics = try world.connect(to: .metrics)
        #expect(try status("/metrics", host: "evil.example", of: metrics).status == 421)
        #expect(try status("/metrics", host: "localhost:7422", of: metrics).status == 200)
    }

    @Test func aServerOfOthersTakesAnyName() throws {
        let client = try HTTPWorld().connect()
        #expect(try status(host: "evil.example", of: client).status == 200)
    }
}
