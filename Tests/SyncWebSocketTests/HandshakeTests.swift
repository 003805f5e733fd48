import HTTPSupport
import SyncHTTPCodec
import Testing

@testable import SyncWebSocket

@Suite("Handshakes")
struct HandshakeTests {
    /// A request with other fields than the usual ones.
    ///
    /// - Parameter changes: fields with their values; without a value a field is missing, and with
    ///   two it is there twice.
    private static func request(
        method: String = "GET", is11: Bool = true, _ changes: [String: [String]] = [:]
    ) -> RequestHead {
        let usual: KeyValuePairs = [
            "Host": "example.org", "Upgrade": "websocket", "Connection": "keep-alive, Upgrade",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Protocol": "chat, collsync.v1",
        ]
        var fields = HTTPFields()
        for (name, value) in usual where changes[name] == nil { fields.add(name, value) }
        for (name, values) in changes.sorted(by: { $0.key < $1.key }) {
            for value in values { fields.add(name, value) }
        }
        return RequestHead(method: method, target: "/v1/socket", fields: fields, is11: is11)
    }

    @Test("a server accepts what RFC 6455 shows as an example")
    func accepted() throws {
        let answer = try ServerHandshake(Self.request(["Origin": ["https://example.org"]]))
        #expect(answer.kind == .bytes)
        #expect(answer.origin?.shown == "https://example.org")
        #expect(answer.fields["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(answer.fields["Upgrade"] == "websocket")
        #expect(answer.fields["Connection"] == "Upgrade")
        #expect(answer.fields["Sec-WebSocket-Protocol"] == "collsync.v1")
        #expect(answer.fields["Sec-WebSocket-Extensions"] == nil)
        #expect(try ServerHandshake(Self.request()).origin == nil)
    }

    @Test("names of the handshake are compared without regard to case")
    func cases() throws {
        let request = Self.request(["Upgrade": ["WebSocket"], "Connection": ["UPGRADE"]])
        #expect(ServerHandshake.isAsked(by: request))
        _ = try ServerHandshake(request)
    }

    @Test("the first protocol that the client names and the server offers is chosen")
    func protocols() throws {
        let names = ["collsync.v2, collsync.v1.json", "collsync.v1"]
        let request = Self.request(["Sec-WebSocket-Protocol": names])
        #expect(try ServerHandshake(request).kind == .lines)
        #expect(try ServerHandshake(request, offering: [.bytes]).kind == .bytes)
        #expect(throws: ServerHandshake.Refusal.self) {
            _ = try ServerHandshake(request, offering: [])
        }
    }

    @Test(
        "a server refuses what is missing, wrong or there twice",
        arguments: [
            ["Host": []], ["Host": ["a", "b"]], ["Upgrade": []], ["Upgrade": ["h2c"]],
            ["Connection": []], ["Connection": ["keep-alive"]], ["Sec-WebSocket-Key": []],
            ["Sec-WebSocket-Key": ["dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="]],
            ["Sec-WebSocket-Key": ["dGhlIHNhbXBsZSBub25jZQ"]],
            ["Sec-WebSocket-Key": ["dGhlIHNhbXBsZSBub25jZQ=a"]],
            ["Sec-WebSocket-Key": ["dGhlIHNhbXBsZSBub25jZ!=="]],
            ["Sec-WebSocket-Key": ["dGhlIHNhbXBsZSBub25jZWU="]],
            ["Sec-WebSocket-Key": ["dGhlIHNhbXBsZSBub25jZWFhYQ=="]],
            ["Sec-WebSocket-Protocol": []], ["Sec-WebSocket-Protocol": ["COLLSYNC.V1"]],
            ["Origin": ["https://a.org", "https://b.org"]], ["Content-Length": ["5"]],
            ["Transfer-Encoding": ["chunked"]],
        ] as [[String: [String]]])
    func refused(_ changes: [String: [String]]) {
        let refusal = #expect(throws: ServerHandshake.Refusal.self) {
            _ = try ServerHandshake(Self.request(changes))
        }
        #expect(refusal?.status == 400)
        #expect(refusal?.reason.isEmpty == false)
    }

    @Test("only GET of HTTP/1.1 asks for a WebSocket")
    func methods() {
        for request in [Self.request(method: "POST"), Self.request(is11: false)] {
            let refusal = #expect(throws: ServerHandshake.Refusal.self) {
                _ = try ServerHandshake(request)
            }
            #expect(refusal?.status == 400)
        }
    }

    @Test("another version is told which one there is", arguments: [[], ["8"], ["13", "13"]])
    func versions(_ values: [String]) {
        let refusal = #expect(throws: ServerHandshake.Refusal.self) {
            _ = try ServerHandshake(Self.request(["Sec-WebSocket-Version": values]))
        }
        #expect(refusal?.status == 426)
        #expect(refusal?.fields["Sec-WebSocket-Version"] == "13")
    }

    @Test("both sides agree", arguments: WebSocketProtocol.allCases)
    func both(_ kind: WebSocketProtocol) throws {
        var number: UInt64 = 7
        let client = ClientHandshake(kind) {
            number &*= 0x9E37_79B9_7F4A_7C15
            return number
        }
        let request = client.request(for: "/v1/socket", at: "example.org:80")
        #expect(request.target == "/v1/socket" && request.fields["Host"] == "example.org:80")
        let answer = try ServerHandshake(request)
        #expect(answer.kind == kind)
        #expect(client.complaint(about: answer.fields) == nil)
    }

    @Test("a client checks each field of the answer")
    func answers() throws {
        let client = ClientHandshake(.bytes) { 5 }
        let right = try ServerHandshake(client.request(for: "/", at: "a")).fields
        func answer(_ name: String, _ values: String...) -> HTTPFields {
            var fields = HTTPFields()
            for field in right.all where field.name != name {
                fields.add(field.name, field.value.shown)
            }
            for value in values { fields.add(name, value) }
            return fields
        }
        #expect(client.complaint(about: right) == nil)
        let wrong = [
            answer("Upgrade"), answer("Upgrade", "h2c"), answer("Connection"),
            answer("Connection", "close"), answer("Sec-WebSocket-Accept"),
            answer("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
            answer("Sec-WebSocket-Protocol"), answer("Sec-WebSocket-Protocol", "collsync.v1.json"),
            answer("Sec-WebSocket-Protocol", "collsync.v1", "collsync.v1"),
            answer("Sec-WebSocket-Extensions", "permessage-deflate"),
        ]
        for fields in wrong { #expect(client.complaint(about: fields) != nil) }
    }
}
