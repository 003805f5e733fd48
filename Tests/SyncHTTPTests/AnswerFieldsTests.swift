import HTTPSupport
import SyncHTTP
import Testing

/// What answers say of themselves, whatever they answer.
@Suite struct AnswerFieldsTests {
    private func client() throws -> HTTPClient {
        let client = try HTTPWorld().connect()
        try CompressionTests.fill(client, items: 200)
        return client
    }

    /// The token may be in a cookie, of which a cache knows nothing.
    @Test(arguments: [
        ("GET", "/v1/rooms"), ("GET", "/v1/rooms/list"), ("HEAD", "/v1/rooms/list"),
        ("GET", "/v1/rooms/list/items"), ("GET", "/v1/rooms/list/items/item1"),
        ("GET", "/v1/rooms/list/search?q=a"), ("GET", "/v1/rooms/list/stats"),
        ("GET", "/v1/rooms/list/history?from=0"), ("GET", "/v1/rooms/list/batch?from=0"),
        ("GET", "/v1/rooms/list/export.csv"), ("PUT", "/v1/rooms/list"),
        ("GET", "/v1/rooms/list/layout.svg?kind=flow"), ("GET", "/v1/rooms/missing"),
        ("GET", "/v1/nothing"), ("PATCH", "/v1/rooms"), ("GET", "/v1/rooms?limit=0"),
    ])
    func sharedCachesKeepNothingOfOnePerson(method: String, target: String) throws {
        let answer = try client().ask(method, target)
        #expect(answer.head.fields["Cache-Control"] == "private, no-cache")
    }

    @Test func whatHasARuleOfItsOwnKeepsIt() throws {
        let client = try client()
        #expect(try client.ask("/v1/openapi.json").head.fields["Cache-Control"] == nil)
        #expect(try client.ask("/healthz").head.fields["Cache-Control"] == nil)
        let removed = try client.ask("DELETE", "/v1/cookie")
        #expect(removed.head.fields["Cache-Control"] == "no-store")
    }

    /// Otherwise a cache would give the answer for one client to another that reads no gzip.
    @Test func whatDependsOnTheClientSaysSo() throws {
        let client = try client()
        let targets = ["", "/export.csv", "/layout.svg?kind=flow"].map { "/v1/rooms/list" + $0 }
        for target in targets {
            for coding in ["gzip", "identity"] {
                let answer = try client.ask("GET", target, ["Accept-Encoding": coding])
                #expect(answer.status == 200)
                #expect(answer.head.fields["Vary"] == "Accept-Encoding", "\(target)")
                let tag = try #require(answer.head.fields["ETag"])
                let again = try client.ask(
                    "GET", target, ["Accept-Encoding": coding, "If-None-Match": tag])
                #expect(again.status == 304)
                #expect(again.head.fields["Vary"] == "Accept-Encoding", "\(target)")
                #expect(again.head.fields["Cache-Control"] == "private, no-cache")
                #expect(again.head.fields["ETag"] != nil)
            }
        }
        let plain = try client.ask("/v1/openapi.json")
        #expect(plain.head.fields["Vary"] == "Accept-Encoding")
        let picture = try client.ask("/v1/rooms/list/layout.png?kind=flow")
        #expect(picture.status == 200 && picture.head.fields["Vary"] == nil)
    }

    /// The simulated clock begins in the night after 14 November 2023, at 22:13:20.
    @Test func eachAnswerHasItsDate() throws {
        let client = try client()
        for target in ["/healthz", "/v1/rooms/list", "/v1/nothing", "/v1/rooms/list/export.csv"] {
            let date = try client.ask(target).head.fields["Date"] ?? ""
            #expect(date.wholeMatch(of: #/Tue, 14 Nov 2023 22:1\d:\d\d GMT/#) != nil, "\(date)")
        }
        let first = try client.ask("/healthz").head.fields["Date"]
        _ = client.world.run(limitMilliseconds: 3000) { false }
        let later = try client.ask("/healthz").head.fields["Date"]
        #expect(first != later)
        client.send("nonsense\r\n\r\n")
        let broken = try client.takeAnswer()
        #expect(broken.status >= 400 && broken.head.fields["Date"] != nil)
    }
}
