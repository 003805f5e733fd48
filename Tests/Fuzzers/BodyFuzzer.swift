import HTTPSupport
import SyncHTTPCodec
import SyncSim

/// A whole simulated server that gets requests of HTTP, with bodies of the input, cut anywhere. For
/// some inputs it asks for tokens.
///
/// - Each request is answered, by a status that is not the server's mistake, or its connection is
///   closed.
/// - What is answered as JSON is an object, and what goes wrong is an error.
/// - Afterwards a guest is served as if nothing had happened (``ConversationFuzzer``).
///
/// An input is its first byte, and requests that a zero ends: the route, options, and the body.
enum BodyFuzzer {
    private static let maximumRequests = 12

    static func run(_ input: UnsafeRawBufferPointer) {
        guard let first = input.first else { return }
        let settings = FuzzedWorld.Settings.all[Int(first / 8) % 7]
        let world = FuzzedWorld(seed: UInt64(first % 8), settings, speaksHTTP: true)
        var visitor = world.enterWeb()
        for request in input.dropFirst().split(separator: 0).prefix(maximumRequests) {
            if visitor.isClosed { visitor = world.enterWeb() }
            ask(
                Request(InputBytes(UnsafeRawBufferPointer(rebasing: request)), settings), visitor,
                in: world)
        }
        visitor.close()
        ConversationFuzzer.expectService(in: world)
        world.end()
    }

    private static func ask(_ request: Request, _ visitor: WebVisitor, in world: FuzzedWorld) {
        for piece in request.pieces {
            visitor.send(piece)
            world.simulation.run(forMilliseconds: 1)
        }
        if request.isStream {
            world.simulation.run(forMilliseconds: 1000)
            return visitor.close()
        }
        var answer: WebVisitor.Answer?
        let isAnswered = world.run {
            answer = visitor.takeAnswer(isHeadAlone: request.method == "HEAD")
            return answer != nil || visitor.isClosed
        }
        expect(isAnswered, "\(request) is not answered")
        guard let answer else { return }
        let status = answer.head.status
        expect(status >= 200 && status != 500, "\(request) is answered by \(status)")
        // What is left out of a body may be taken from the next request.
        if !request.isWhole { visitor.close() }
        guard answer.head.fields["Content-Type"] == "application/json",
            answer.head.fields["Content-Encoding"] == nil, !answer.body.isEmpty
        else { return }
        let text = String(decoding: answer.body, as: UTF8.self)
        expect(
            text.hasPrefix("{") && (text.hasSuffix("}") || text.hasSuffix("}\n")),
            "\(request) is answered by \(text)")
        expect(
            status < 400 || text.hasPrefix(#"{"error":"#) || text.hasPrefix(#"{"reject":"#),
            "\(request) is answered by \(text)")
    }

    /// A request as bytes.
    private struct Request: CustomStringConvertible {
        let method: String
        let target: String
        /// Whether its body has the length that it says.
        let isWhole: Bool
        private(set) var pieces: [[UInt8]] = []

        var isStream: Bool { target.hasPrefix(FuzzedRooms.firstPath + "/stream") }
        var description: String { "\(method) \(target)" }

        init(_ choices: InputBytes, _ settings: FuzzedWorld.Settings) {
            var choices = choices
            (method, target) = Request.routes[choices.below(Request.routes.count)]
            let options = choices.byte()
            let body = Array(choices.rest)
            isWhole = options % 16 != 15
            var head = "\(method) \(target) HTTP/1.1\r\nHost: server\r\n"
            if settings.hasTokens {
                let tokens = FuzzedTokens.all
                head += "Authorization: Bearer \(tokens[Int(options >> 4) % tokens.count])\r\n"
            }
            if options & 1 != 0 { head += "Accept-Encoding: gzip\r\n" }
            if options & 2 != 0 { head += "Idempotency-Key: key-\(options >> 6)\r\n" }
            if options & 4 == 0 {
                head += "Content-Length: \(body.count + (isWhole ? 0 : 1))\r\n\r\n"
                pieces = [Array(head.utf8), body]
            } else {
                head += "Transfer-Encoding: chunked\r\n\r\n"
                pieces = [Array(head.utf8)] + Request.chunks(of: body, 1 + Int(options >> 3) * 8)
                pieces.append(Array("\(isWhole ? "0" : "x")\r\n\r\n".utf8))
            }
        }

        private static func chunks(of body: [UInt8], _ size: Int) -> [[UInt8]] {
            stride(from: 0, to: body.count, by: size).map { start in
                let data = body[start..<min(start + size, body.count)]
                let head = Array("\(String(data.count, radix: 16))\r\n".utf8)
                return head + data + [0x0D, 0x0A]
            }
        }

        /// Those that change something come more often.
        private static let routes: [(String, String)] =
            [
                ("POST", FuzzedRooms.firstPath + "/transactions"),
                ("POST", FuzzedRooms.firstPath + "/import"),
                ("POST", FuzzedRooms.firstPath + "/import?append=true"),
                ("POST", FuzzedRooms.firstPath + "/view"),
                ("POST", "/v1/layout"), ("POST", "/v1/tokens"), ("PUT", FuzzedRooms.firstPath),
                ("POST", FuzzedRooms.firstPath + "/transactions"),
                ("POST", FuzzedRooms.secondPath + "/import"),
            ]
            + [
                "", "?revision=1", "/stats", "/history?from=0", "/batch?from=0&to=2", "/items",
                "/items/i0", "/items?section=main&after=i0&limit=1", "/search?q=a&limit=1",
                "/export.csv", "/export.csv?fields=title", "/stream", "/stream?from=1",
                "/layout.svg?kind=flow",
                "/layout.svg?kind=waterfall&spec=%7B%22columnCount%22:3%7D&height=100",
                "/layout.png?kind=mosaic&width=40&height=30&scale=1",
            ].map { ("GET", FuzzedRooms.firstPath + $0) }
            + [
                ("HEAD", FuzzedRooms.firstPath), ("DELETE", FuzzedRooms.firstPath),
                ("GET", "/v1/rooms"),
                ("GET", "/readyz"), ("POST", "/v1/cookie"), ("DELETE", "/v1/cookie"),
                ("OPTIONS", "/v1/tokens"), ("GET", "/v1/openapi.json"), ("GET", "/v1/ws?room=a"),
                ("PATCH", FuzzedRooms.firstPath),
            ]
    }
}
