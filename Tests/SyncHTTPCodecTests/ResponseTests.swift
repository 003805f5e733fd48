import HTTPSupport
import SyncBytes
import SyncHTTPCodec
import Testing

@Suite struct ResponseTests {
    private func written(_ head: ResponseHead) -> String? {
        var writer = ByteWriter()
        guard head.write(to: &writer) else {
            #expect(writer.count == 0)
            return nil
        }
        // Latin-1.
        return String(String.UnicodeScalarView(writer.makeArray().map { Unicode.Scalar($0) }))
    }

    @Test func headsAreWritten() {
        let head = ResponseHead(404, HTTPFields(["Content-Length": "0", "A": "é\tb"]))
        #expect(written(head) == "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nA: é\tb\r\n\r\n")
        #expect(written(ResponseHead(299)) == "HTTP/1.1 299 \r\n\r\n")
    }

    @Test(arguments: ["a\rb", "a\nb", "a\r\nb", "a\0", "a\u{7F}", "\u{1B}a"])
    func noValueEndsItsLine(_ value: String) {
        #expect(written(ResponseHead(200, HTTPFields(["A": value]))) == nil)
    }

    @Test(arguments: ["", "a b", "a:", "a\r", "a\n", "a\0", "é"])
    func noNameEndsBeforeItsColon(_ name: String) {
        var fields = HTTPFields()
        fields.add(name, "b")
        #expect(written(ResponseHead(200, fields)) == nil)
    }

    @Test(arguments: [-1, 0, 99, 1000]) func aStatusHasThreeDigits(_ status: Int) {
        #expect(written(ResponseHead(status)) == nil)
    }

    @Test func chunksAreFramed() {
        var writer = ByteWriter()
        Chunk.writeHeader(ofDataWith: 26, to: &writer)
        Chunk.writeEnd(to: &writer)
        Chunk.writeLast(to: &writer)
        #expect(String(decoding: writer.makeArray(), as: UTF8.self) == "1a\r\n\r\n0\r\n\r\n")
    }

    @Test func requestsAreWritten() {
        var writer = ByteWriter()
        let head = RequestHead(method: "GET", target: "/a", fields: HTTPFields(["Host": "b"]))
        let isWritten = head.write(to: &writer)
        #expect(isWritten)
        let text = String(decoding: writer.makeArray(), as: UTF8.self)
        #expect(text == "GET /a HTTP/1.1\r\nHost: b\r\n\r\n")
        #expect(Reading(text).requests.first?.head == head)
        for target in ["", "/a b", "/\r\n", "/é"] {
            let isWritten = RequestHead(method: "GET", target: target).write(to: &writer)
            #expect(!isWritten)
        }
        let isWrittenToo = RequestHead(method: "GET /", target: "/").write(to: &writer)
        #expect(!isWrittenToo)
    }

    // MARK: Reading

    private struct Response: Equatable {
        var head: ResponseHead?
        var rest: [UInt8] = []
        var status: Int?
    }

    private func read(_ text: String, cut: Int) -> Response {
        let reader = ResponseReader()
        var response = Response()
        do {
            for piece in [text.utf8.prefix(cut), text.utf8.dropFirst(cut)] {
                if response.head != nil {
                    response.rest += piece
                } else {
                    response.head = try Array(piece).withUnsafeBytes { try reader.receive($0) }
                    if response.head != nil { response.rest += reader.takeRest() }
                }
            }
        } catch {
            response.status = (error as? HTTPError)?.status
        }
        return response
    }

    private func readAnywhere(_ text: String) -> Response {
        let whole = read(text, cut: 0)
        for cut in 0...text.utf8.count { #expect(read(text, cut: cut) == whole, "cut at \(cut)") }
        return whole
    }

    @Test func anUpgradeIsRead() {
        let upgrade = "HTTP/1.1 101 Yes\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"
        let response = readAnywhere(upgrade + "\r\n\r\nrest")
        #expect(response.head?.status == 101)
        #expect(response.head?.fields["upgrade"] == "x")
        #expect(response.rest == Array("\r\n\r\nrest".utf8))
    }

    @Test func otherResponsesAreRead() {
        let refused = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"
        #expect(readAnywhere(refused).head?.status == 401)
        #expect(readAnywhere(refused).rest == Array("no".utf8))
        #expect(readAnywhere("HTTP/1.1 103 Hints\r\n\r\n" + refused).head?.status == 401)
        #expect(readAnywhere("HTTP/1.1 204\r\n\r\n").head?.status == 204)
    }

    @Test(arguments: ["HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\n\r\n\r\n", "x\r\n\r\n"])
    func brokenResponsesAreRefused(_ text: String) {
        #expect(readAnywhere(text).status == 400)
    }

    @Test func skippedResponsesAreBounded() {
        let hints = String(repeating: "HTTP/1.1 103 Hints\r\n\r\n", count: 1000)
        #expect(read(hints, cut: 0).status == 431)
        #expect(read(hints, cut: 10_000).status == 431)
    }

    @Test func aResponseIsBounded() {
        let text = "HTTP/1.1 200 OK\r\nA: " + String(repeating: "a", count: 1 << 15)
        #expect(read(text, cut: 100).status == 431)
    }
}
