import SyncHTTPCodec
import Testing

@Suite struct RequestTargetTests {
    @Test(arguments: [
        ("/", []), ("/a", ["a"]), ("/a/", ["a", ""]), ("//a", ["", "a"]),
        ("/a%2Fb/c%3f", ["a/b", "c?"]), ("/%E2%82%AC/a+b", ["€", "a+b"]), ("/...", ["..."]),
        ("/%2e%2e%2f", ["../"]), ("/a?/../", ["a"]),
    ])
    func pathsAreDecoded(_ target: String, _ path: [String]) throws {
        #expect(try RequestTarget(target).path.map(\.shown) == path)
    }

    @Test(arguments: [
        "", "a", "*", "?a", "/.", "/..", "/a/../b", "/%2e", "/.%2E/a", "/%", "/%4", "/%4g", "/%+1",
        "/%00", "/%ff", "/%C0%AF", "/%ED%A0%80", "/?a=%00", "/?%ff=a", "/?a=%2",
        String(repeating: "/", count: 65), "/?" + String(repeating: "a&", count: 65),
    ])
    func brokenTargetsAreRefused(_ target: String) {
        #expect(throws: HTTPError.self) { try RequestTarget(target) }
    }

    @Test func theMostSegmentsAndItems() throws {
        #expect(try RequestTarget(String(repeating: "/a", count: 64)).path.count == 64)
        let query = Array(repeating: "a", count: 64).joined(separator: "&")
        #expect(try RequestTarget("/?" + query).query.count == 64)
    }

    @Test func queriesAreDecodedInOrder() throws {
        let target = try RequestTarget("/?a=1&b=%26+%3D%2B&&c&a=2&=d&e=f=g?h")
        let pairs = target.query.map { "\($0.name.shown):\($0.value.shown)" }
        #expect(pairs == ["a:1", "b:& =+", "c:", "a:2", ":d", "e:f=g?h"])
        #expect(try RequestTarget("/?").query.isEmpty)
    }
}
