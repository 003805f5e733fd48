import SyncHTTPCodec
import Testing

/// Values of fields that have a form of their own.
@Suite struct FieldValueTests {
    private func fields(_ name: String, _ values: [String]) -> HTTPFields {
        var fields = HTTPFields()
        for value in values { fields.add(name, value) }
        return fields
    }

    // MARK: Forwarded

    @Test(arguments: [
        (["for=192.0.2.1"], "192.0.2.1"), (["For=192.0.2.1;proto=https"], "192.0.2.1"),
        (["by=a;for=\"192.0.2.1:80\""], "192.0.2.1"),
        (["for=\"[2001:DB8::1]:80\""], "2001:db8::1"), (["for=\"[::1]\""], "::1"),
        (["for=1.1.1.1, for=192.0.2.1"], "192.0.2.1"),
        (["for=1.1.1.1", "for=192.0.2.1"], "192.0.2.1"),
        (["for=\"a, for=1.1.1.1\" ,, for=192.0.2.1 ,"], "192.0.2.1"),
        ([], nil), ([""], nil), (["for=unknown"], nil), (["for=_a"], nil), (["proto=http"], nil),
        (["for=\"::1\""], nil), (["for=\"[1.1.1.1]\""], nil), (["for=\"1.1.1.1:\""], nil),
        (["for=\"[::1]:999999\""], nil), (["for=\"[::1]a\""], nil), (["for=1.1.1"], nil),
        (["for=192.0.2.1, for=unknown"], nil),
    ])
    func theNearestNodeCounts(_ values: [String], _ address: String?) throws {
        #expect(try Forwarded.client(in: fields("Forwarded", values)) == address)
    }

    @Test func severalProxiesMayBeTrusted() throws {
        let fields = fields("forwarded", ["for=1.1.1.1, for=2.2.2.2", "for=3.3.3.3"])
        let expected: [String?] = [nil, "3.3.3.3", "2.2.2.2", "1.1.1.1", nil]
        for (proxies, address) in zip(0..., expected) {
            #expect(try Forwarded.client(in: fields, behind: proxies) == address)
        }
    }

    @Test(arguments: [
        "for", "for=", "=a", "for=a b", "for=[::1]", "for=::1", "for = a", "for=a; proto=b",
        "for=a;for=b", "for=\"a", "for=\"a\\", "for=a;", ";for=a", "for=\"", "for=a,b",
        "for=\(String(repeating: "a", count: 4096))",
    ])
    func brokenElementsAreRefused(_ value: String) {
        // The proxy adds its own element behind what the client has sent.
        for values in [[value], [value, "for=192.0.2.1"]] {
            let fields = fields("Forwarded", values)
            #expect(throws: HTTPError.self) { try Forwarded.client(in: fields) }
        }
    }

    // MARK: Accept-Encoding

    @Test(arguments: [
        ("gzip", true), ("GZip", true), ("x-gzip", true), ("deflate, gzip;q=0.5, br", true),
        ("gzip ; q=1.000", true), ("gzip;q=0.001", true), ("*", true), ("br, *;q=0.1", true),
        ("", false), ("br", false), ("gzip;q=0", false), ("gzip;q=0.000", false),
        ("gzip;q=0, *", false), ("*, gzip;q=0", false), ("*;q=0", false), ("gzipped", false),
        ("gzip;q=2", false), ("gzip;q=1.1", false), ("gzip;q=0.0001", false), ("gzip;q=", false),
        ("gzip;q=.5", false), ("gzip;a=1", false), ("gzip q=1", false), ("gzip;q=0,5", false),
    ])
    func weightsSayWhetherGzipIsAccepted(_ value: String, _ isAccepted: Bool) {
        #expect(fields("Accept-Encoding", [value]).acceptsGzip == isAccepted)
    }

    @Test func whoSaysNothingGetsNoGzip() {
        #expect(!HTTPFields().acceptsGzip)
        #expect(fields("accept-encoding", ["br", "gzip"]).acceptsGzip)
    }

    // MARK: If-None-Match

    @Test(arguments: [
        (["\"a\""], true), (["W/\"a\""], true), (["*"], true), (["\"b\", \"a\""], true),
        (["\"b\"", "W/\"a\""], true), (["\"b,\",\"a\","], true), ([], false), ([""], false),
        (["\"b\""], false), (["\"A\""], false), (["a"], false), (["\"a"], false),
        (["w/\"a\""], false), (["W\"a\""], false), (["\"a\" \"b\""], false), (["\"a\", b"], false),
        (["\"a\", *"], false), (["\"b,\"a\""], false),
    ])
    func tagsAreComparedWeakly(_ values: [String], _ isListed: Bool) {
        let fields = fields("If-None-Match", values)
        #expect(fields.hasNoneMatch("\"a\"") == isListed)
        #expect(fields.hasNoneMatch("W/\"a\"") == isListed)
    }
}
