import HTTPSupport
import SyncAccess
import SyncBytes
import SyncHTTP
import SyncModel
import SyncServer
import SyncWebSocket
import Testing

/// How tokens come with requests, and which pages may send requests.
@Suite struct CredentialTests {
    /// The token `ann` is Ann's.
    private struct Names: TokenVerifier {
        func verify(_ text: ForeignText, at seconds: UInt64) throws(TokenFailure) -> Access {
            let token = text.shown
            guard token == "ann" || token == "bob" else {
                throw TokenFailure(.bad, "there is no such token")
            }
            return Access(unlimited: UserName(stringLiteral: token))
        }

        func knowsKey(_ id: Identifier, mark: UInt64) -> Bool { true }
    }

    private static func world(
        _ options: HTTPOptions = HTTPOptions(), isBehindTLS: Bool = true
    ) throws -> HTTPWorld {
        try HTTPWorld(options: options) {
            $0.tokens = TokenAuthentication(Names())
            $0.tokens?.areTakenFromAnywhere = isBehindTLS
        }
    }

    private static let insert =
        #"{"ops":[{"insert":{"item":{"id":"a"},"to":{"section":"main"}}}]}"#

    @Test func aTokenComesInAuthorizationOrACookie() throws {
        let client = try CredentialTests.world().connect()
        #expect(try client.ask("/v1/rooms").status == 401)
        let signedIn = try client.ask("GET", "/v1/rooms", ["Authorization": "Bearer ann"])
        #expect(signedIn.status == 200)
        for cookie in ["collsync=ann", "a=b; collsync=bob; c=d"] {
            #expect(try client.ask("GET", "/v1/rooms", ["Cookie": cookie]).status == 200)
        }
        for cookie in ["collsync=eve", "xcollsync=ann", "collsync=ann; collsync=bob"] {
            #expect(try client.ask("GET", "/v1/rooms", ["Cookie": cookie]).status == 401)
        }
        let both = try client.ask(
            "GET", "/v1/rooms", ["Authorization": "Bearer eve", "Cookie": "collsync=ann"])
        #expect(both.status == 401)
    }

    @Test func aGoodTokenIsKeptInACookie() throws {
        let client = try CredentialTests.world().connect()
        let kept = try client.ask("POST", "/v1/cookie", ["Authorization": "Bearer ann"])
        #expect(kept.status == 204)
        let cookie = try #require(kept.head.fields["Set-Cookie"])
        #expect(cookie == "collsync=ann; Path=/v1; HttpOnly; SameSite=Strict; Secure")
        let bad = try client.ask("POST", "/v1/cookie", ["Authorization": "Bearer eve"])
        #expect(bad.status == 401)
        #expect(bad.head.fields["Set-Cookie"] == nil)
        let split = try client.ask("POST", "/v1/cookie", ["Authorization": "Bearer a;Domain=b"])
        #expect(split.status == 400)
        // A cookie does not renew itself.
        #expect(try client.ask("POST", "/v1/cookie", ["Cookie": "collsync=ann"]).status == 400)
        let removed = try client.ask("DELETE", "/v1/cookie")
        #expect(removed.head.fields["Set-Cookie"]?.contains("; Secure; Max-Age=0") == true)
    }

    /// Without TLS a browser would neither keep nor send a cookie that is for https alone.
    @Test func aCookieOfAPlainServerGoesPlainly() throws {
        let client = try CredentialTests.world(isBehindTLS: false).connect(from: "127.0.0.1")
        for method in ["POST", "DELETE"] {
            let answer = try client.ask(method, "/v1/cookie", ["Authorization": "Bearer ann"])
            #expect(answer.status == 204, "\(answer.text)")
            let cookie = try #require(answer.head.fields["Set-Cookie"])
            #expect(!cookie.contains("Secure"), "\(cookie)")
        }
    }

    @Test func aWebSocketMayNameItsTokenAsASubprotocol() throws {
        let client = try CredentialTests.world().connect()
        let fields: KeyValuePairs = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Protocol": "collsync.bearer.ann, collsync.v1.json",
        ]
        let answer = try client.ask("GET", "/v1/ws?room=list", fields)
        #expect(answer.status == 101)
        #expect(answer.head.fields["Sec-WebSocket-Protocol"] == "collsync.v1.json")
        #expect(client.world.run { client.receivedText.contains(#"{"snapshot":"#) })
    }

    @Test func keysOfTwoUsersAreTwo() throws {
        let client = try CredentialTests.world().connect()
        func post(_ user: String, _ body: String) throws -> HTTPClient.Answer {
            try client.ask(
                "POST", "/v1/rooms/list/transactions",
                ["Authorization": "Bearer \(user)", "Idempotency-Key": "one"], body: body)
        }
        let first = try post("ann", CredentialTests.insert)
        #expect(first.status == 200)
        #expect(try post("bob", CredentialTests.insert).text.contains(#""revision":2"#))
        #expect(try post("ann", CredentialTests.insert).text == first.text)
    }

    // MARK: Sharing

    /// Signs a token that says what it is for.
    private struct PlainIssuer: TokenIssuer {
        let maximumShareLifetime: UInt64 = 3600

        func issue(_ share: RoomShare) -> String? {
            share.role == .admin ? nil : "\(share.user) \(share.room) \(share.role.name)"
        }
    }

    /// All but Eve are editors of all rooms. With a guest, somebody has shared them.
    private struct Editors: TokenVerifier {
        func verify(_ text: ForeignText, at seconds: UInt64) throws(TokenFailure) -> Access {
            let isGuest = text.isSame(as: "guest")
            return Access(
                user: UserName(stringLiteral: text.shown),
                grants: text.isSame(as: "eve") ? [] : [Grant(.editor, in: .all)],
                token: TokenFacts(id: "t", key: "k", issued: 0, expires: 1 << 40),
                sharer: isGuest ? Sharer(user: "ann", token: "t", key: "k", issued: 0) : nil)
        }

        func knowsKey(_ id: Identifier, mark: UInt64) -> Bool { true }
    }

    @Test func aRoomIsSharedWithNoHigherRole() throws {
        let world = try HTTPWorld {
            $0.tokens = TokenAuthentication(Editors())
            $0.tokens?.issuer = PlainIssuer()
        }
        let client = try world.connect()
        func share(_ user: String, _ body: String) throws -> HTTPClient.Answer {
            try client.ask(
                "POST", "/v1/tokens", ["Authorization": "Bearer \(user)"], body: body)
        }
        let shared = try share("ann", #"{"room":"list","role":"viewer","seconds":60}"#)
        #expect(shared.status == 201)
        #expect(shared.text.contains(#"{"token":"share-"#))
        #expect(shared.text.contains(#" list viewer""#))
        #expect(try share("ann", #"{"room":"list","role":"editor"}"#).status == 201)
        #expect(try share("ann", #"{"room":"list","role":"admin"}"#).status == 403)
        #expect(try share("eve", #"{"room":"list","role":"viewer"}"#).status == 403)
        #expect(try share("guest", #"{"room":"list","role":"viewer"}"#).status == 403)
        #expect(try share("ann", #"{"room":"l*","role":"viewer"}"#).status == 400)
        let long = #"{"room":"list","role":"viewer","seconds":3601}"#
        #expect(try share("ann", long).status == 422)
        for body in ["", "[]", #"{"room":"list"}"#, #"{"room":"list","role":"owner"}"#] {
            #expect(try share("ann", body).status == 400, "\(body)")
        }
        let large = String(repeating: " ", count: 5000)
        #expect(try share("ann", large).status == 413)
    }

    @Test func aUserSharesAtARate() throws {
        let world = try HTTPWorld {
            $0.tokens = TokenAuthentication(Editors())
            $0.tokens?.issuer = PlainIssuer()
        }
        let client = try world.connect()
        func share(_ user: String) throws -> HTTPClient.Answer {
            try client.ask(
                "POST", "/v1/tokens", ["Authorization": "Bearer \(user)"],
                body: #"{"room":"list","role":"viewer"}"#)
        }
        for _ in 0..<AccountLimits().newShares.burst { #expect(try share("ann").status == 201) }
        let refused = try share("ann")
        #expect(refused.status == 429 && refused.text.contains("userLimit"))
        #expect(refused.head.fields["Retry-After"] == "2")
        #expect(try share("ben").status == 201)
        world.simulation.run(forMilliseconds: 2000)
        let later = try share("ann")
        #expect(later.status == 201, "\(later.text)")
        #expect(try share("ann").status == 429)
    }

    @Test func noTokensAreSignedUnlessThatIsAllowed() throws {
        let client = try CredentialTests.world().connect()
        let answer = try client.ask(
            "POST", "/v1/tokens", ["Authorization": "Bearer ann"],
            body: #"{"room":"list","role":"viewer"}"#)
        #expect(answer.status == 403)
    }

    // MARK: Pages

    @Test func pagesOfOtherOriginsChangeNothing() throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        func post(_ origin: String) throws -> HTTPClient.Answer {
            try client.ask(
                "POST", "/v1/rooms/list/transactions", ["Origin": origin],
                body: CredentialTests.insert)
        }
        for origin in ["https://evil.example", "null", "http://server.evil.example"] {
            #expect(try post(origin).status == 403, "\(origin)")
        }
        #expect(try client.ask("/v1/rooms/list").status == 404)
        let own = try post("http://server")
        #expect(own.status == 200)
        #expect(own.head.fields["Access-Control-Allow-Origin"] == nil)
        // It is answered, but the browser shows the answer to no page of another origin.
        let read = try client.ask("GET", "/v1/rooms", ["Origin": "https://evil.example"])
        #expect(read.status == 200)
        #expect(read.head.fields["Access-Control-Allow-Origin"] == nil)
    }

    @Test func pagesOfAdmittedOriginsMayAsk() throws {
        var options = HTTPOptions()
        options.origins = ["https://app.example"]
        let client = try HTTPWorld(options: options).connect()
        let preflight = try client.ask(
            "OPTIONS", "/v1/rooms/list",
            ["Origin": "https://app.example", "Access-Control-Request-Method": "DELETE"])
        #expect(preflight.status == 204)
        let fields = preflight.head.fields
        #expect(fields["Access-Control-Allow-Origin"] == "https://app.example")
        #expect(fields["Access-Control-Allow-Methods"]?.contains("DELETE") == true)
        #expect(fields["Access-Control-Allow-Headers"]?.contains("Idempotency-Key") == true)
        let posted = try client.ask(
            "POST", "/v1/rooms/list/transactions", ["Origin": "https://app.example"],
            body: CredentialTests.insert)
        #expect(posted.status == 200)
        #expect(posted.head.fields["Access-Control-Allow-Origin"] == "https://app.example")
        #expect(posted.head.fields["Vary"] == "Origin")
        let other = try client.ask(
            "OPTIONS", "/v1/rooms/list",
            ["Origin": "https://evil.example", "Access-Control-Request-Method": "DELETE"])
        #expect(other.head.fields["Access-Control-Allow-Origin"] == nil)
        #expect(other.head.fields["Access-Control-Allow-Methods"] == nil)
        #expect(other.head.fields["Vary"] == "Origin")
    }

    /// What can't be read is not answered to the page that asked before.
    @Test func anUnreadableRequestHasNoOrigin() throws {
        var options = HTTPOptions()
        options.origins = ["https://app.example"]
        let client = try HTTPWorld(options: options).connect()
        let own = try client.ask("GET", "/healthz", ["Origin": "https://app.example"])
        #expect(own.head.fields["Access-Control-Allow-Origin"] == "https://app.example")
        client.send("GET /healthz HTTP/1.1\r\n\r\n")
        let answer = try client.takeAnswer()
        #expect(answer.status == 400)
        #expect(answer.head.fields["Access-Control-Allow-Origin"] == nil)
    }

    @Test func optionsNameTheMethods() throws {
        let client = try HTTPWorld().connect()
        let answer = try client.ask("OPTIONS", "/v1/rooms/list")
        #expect(answer.status == 204)
        #expect(answer.head.fields["Allow"]?.contains("GET, HEAD") == true)
        #expect(try client.ask("OPTIONS", "/v1/nothing").status == 404)
    }
}
