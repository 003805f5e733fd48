import HTTPSupport
import SyncHTTP
import SyncHTTPCodec
import Testing

/// Bodies that are compressed by gzip.
@Suite struct CompressionTests {
    /// What a body was before it was compressed.
    private static func plain(_ answer: HTTPClient.Answer) throws -> String {
        #expect(answer.head.fields["Content-Encoding"] == "gzip")
        let plain = try Gunzip(answer.body)
        #expect(plain.isWhole)
        return String(decoding: plain.text, as: UTF8.self)
    }

    static func fill(_ client: HTTPClient, items: Int, prefix: String = "item") throws {
        for start in stride(from: 0, to: items, by: 500) {
            let inserts = (start..<min(items, start + 500)).map {
                #"{"insert":{"item":{"id":"\#(prefix)\#($0)"},"to":{"section":"main"}}}"#
            }
            let answer = try client.ask(
                "POST", "/v1/rooms/list/transactions",
                body: #"{"ops":["# + inserts.joined(separator: ",") + "]}")
            #expect(answer.status == 200)
        }
    }

    @Test(arguments: 0..<3) func theTextIsTheSame(seed: UInt64) throws {
        let client = try HTTPWorld(seed: seed).connect()
        try CompressionTests.fill(client, items: 5000)
        for target in ["/v1/rooms/list", "/v1/rooms/list/items?limit=100"] {
            let plain = try client.ask(target)
            #expect(plain.head.fields["Content-Encoding"] == nil)
            let gzip = try client.ask("GET", target, ["Accept-Encoding": "br, gzip;q=0.8"])
            #expect(gzip.body.count < plain.body.count / 2)
            #expect(gzip.head.fields["Vary"] == "Accept-Encoding")
            #expect(try CompressionTests.plain(gzip) == plain.text)
        }
    }

    /// The document of the routes is compressed once for all.
    @Test func whatIsAlwaysTheSameIsTheSameCompressed() throws {
        let client = try HTTPWorld().connect()
        let target = "/v1/openapi.json"
        let plain = try client.ask(target)
        let gzip = try client.ask("GET", target, ["Accept-Encoding": "gzip"])
        #expect(gzip.head.fields["Content-Length"] == "\(gzip.body.count)")
        #expect(gzip.head.fields["Vary"] == "Accept-Encoding")
        #expect(try CompressionTests.plain(gzip) == plain.text)
        let head = try client.ask("HEAD", target, ["Accept-Encoding": "gzip"])
        #expect(head.status == 200 && head.body.isEmpty)
    }

    /// The answer to HEAD has the fields of that to GET, compressed or not.
    @Test(arguments: ["gzip", "identity"]) func aHeadSaysWhatABodyWouldBe(coding: String) throws {
        let client = try HTTPWorld().connect()
        try CompressionTests.fill(client, items: 2000)
        let targets = [
            "/v1/openapi.json", "/healthz", "/v1/rooms", "/v1/rooms/list", "/v1/rooms/list/items",
            "/v1/rooms/list/items/item1", "/v1/rooms/list/export.csv", "/v1/rooms/list/search?q=x",
            "/v1/rooms/list/layout.svg?kind=flow", "/v1/rooms/list/history?from=0", "/v1/nothing",
        ]
        for target in targets {
            let fields = try ["GET", "HEAD"].map { method in
                let answer = try client.ask(method, target, ["Accept-Encoding": coding])
                #expect(answer.body.isEmpty == (method == "HEAD"))
                return answer.head.fields.all.filter { $0.name != "Date" }
            }
            #expect(fields[0] == fields[1], "\(target)")
        }
    }

    @Test func requestsThatFollowAreAnsweredInOrder() throws {
        let client = try HTTPWorld().connect()
        try CompressionTests.fill(client, items: 2000)
        let request =
            "GET /v1/rooms/list HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n"
            + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
        client.send(String(repeating: request, count: 20))
        for _ in 0..<20 {
            let room = try client.takeAnswer()
            #expect(try CompressionTests.plain(room).contains(#""id":"item1999""#))
            #expect(try client.takeAnswer().text.contains("ok"))
        }
    }

    @Test func anUnchangedRoomIsKnownInEitherForm() throws {
        let client = try HTTPWorld().connect()
        try CompressionTests.fill(client, items: 100)
        let gzip = try client.ask("GET", "/v1/rooms/list", ["Accept-Encoding": "gzip"])
        let tag = try #require(gzip.head.fields["ETag"])
        #expect(tag.hasPrefix("W/\""))
        let again = try client.ask(
            "GET", "/v1/rooms/list", ["Accept-Encoding": "gzip", "If-None-Match": tag])
        #expect(again.status == 304)
    }

    @Test func aConnectionThatEndsGetsItsWholeAnswer() throws {
        let client = try HTTPWorld().connect()
        try CompressionTests.fill(client, items: 2000)
        let gzip = try client.ask(
            "GET", "/v1/rooms/list", ["Accept-Encoding": "gzip", "Connection": "close"])
        #expect(try CompressionTests.plain(gzip).contains(#""id":"item1999""#))
        #expect(client.world.run { client.isClosed })
    }

    @Test func aClientMayGoInTheMiddle() throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        try CompressionTests.fill(client, items: 5000)
        for _ in 0..<20 {
            let other = try world.connect()
            other.send(
                "GET /v1/rooms/list HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n")
            #expect(world.run { !other.received.isEmpty })
            other.close()
        }
        #expect(try client.ask("/healthz").status == 200)
    }
}
