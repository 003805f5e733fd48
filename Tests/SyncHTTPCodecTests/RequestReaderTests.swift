import HTTPSupport
import SeededRandom
import SyncHTTPCodec
import Testing

@Suite struct RequestReaderTests {
    /// Combining marks would be put in order whenever a value is compared.
    @Test func eachByteOfAValueIsACharacter() {
        let reading = Reading("GET / HTTP/1.1\r\nHost: a\r\nB: e\u{301}\t€ \r\n\r\n")
        let value = reading.requests.first?.head.fields["b"]
        #expect(value == "e\u{CC}\u{81}\t\u{E2}\u{82}\u{AC}")
    }

    @Test(arguments: RequestTable.lines) func readsRequestLines(_ row: RequestTable.Row) {
        check(row)
    }

    @Test(arguments: RequestTable.fields) func readsFields(_ row: RequestTable.Row) {
        check(row)
    }

    @Test(arguments: RequestTable.hosts) func readsHosts(_ row: RequestTable.Row) {
        check(row)
    }

    @Test(arguments: RequestTable.chunks) func readsChunks(_ row: RequestTable.Row) {
        check(row)
    }

    private func check(_ row: RequestTable.Row) {
        let whole = Reading(row.text)
        #expect("\(whole)" == row.expected)
        let count = row.text.utf8.count
        for cut in 0...count {
            #expect(Reading(row.text, cuts: [cut]) == whole, "cut at \(cut)")
        }
        #expect(Reading(row.text, cuts: Array(1..<count)) == whole, "byte by byte")
    }

    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n"
    private static let post = "POST / HTTP/1.1\r\nHost: a\r\n"
    private static let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"

    private func text(_ character: Character, _ count: Int) -> String {
        String(repeating: character, count: count)
    }

    private func bounded(_ text: String) -> Reading {
        let whole = Reading(text)
        var random = SplitMix64(seed: 1)
        for _ in 0..<8 {
            let cuts = (0..<20).map { _ in Int.random(in: 0...text.utf8.count, using: &random) }
            #expect(Reading(text, cuts: cuts.sorted()) == whole)
        }
        return whole
    }

    @Test func aTargetIsBounded() {
        let limit = HTTPLimits().targetBytes
        let line = { "GET /\(self.text("a", $0 - 1)) HTTP/1.1\r\nHost: a\r\n\r\n" }
        #expect(bounded(line(limit)).requests.count == 1)
        #expect(bounded(line(limit + 1)).status == 414)
        #expect(bounded("GET /" + text("a", 1 << 16)).status == 414)
    }

    @Test func aHeadIsBounded() {
        let rest = HTTPLimits().headBytes - RequestReaderTests.get.utf8.count - 7
        let head = { RequestReaderTests.get + "A: \(self.text("a", $0))\r\n\r\n" }
        #expect(bounded(head(rest)).requests.count == 1)
        #expect(bounded(head(rest + 1)).status == 431)
        #expect(bounded(RequestReaderTests.get + "A: " + text("a", 1 << 16)).status == 431)
    }

    @Test func fieldsAreCounted() {
        let limit = HTTPLimits().fieldCount
        let head = { (count: Int) in
            RequestReaderTests.get + (1..<count).map { "A\($0):\r\n" }.joined() + "\r\n"
        }
        #expect(bounded(head(limit)).requests.count == 1)
        #expect(bounded(head(limit + 1)).status == 431)
    }

    @Test func trailersAreBounded() {
        let trailer = { (count: Int) in
            RequestReaderTests.chunked + "0\r\n" + (0..<count).map { "A\($0):\r\n" }.joined()
                + "\r\n"
        }
        #expect(bounded(trailer(50)).requests.count == 1)
        #expect(bounded(trailer(200)).status == 400)
        #expect(
            bounded(RequestReaderTests.chunked + "0\r\nA: " + text("a", 1 << 16)).status == 400)
    }

    @Test func theFramingOfChunksIsBounded() {
        let small = String(repeating: "1\r\na\r\n", count: 10_000)
        #expect(
            bounded(RequestReaderTests.chunked + small + "0\r\n\r\n").requests.first?.body
                == text("a", 10_000))
        let extended = String(repeating: "1;\(text("e", 40))\r\na\r\n", count: 1000)
        #expect(bounded(RequestReaderTests.chunked + extended).status == 400)
        #expect(bounded(RequestReaderTests.chunked + "1;" + text("e", 1 << 16)).status == 400)
        #expect(bounded(RequestReaderTests.chunked + text("0", 1 << 16)).status == 400)
    }

    @Test func longBodiesComeInSlices() throws {
        let reader = RequestReader()
        let count = 100_000
        receive(RequestReaderTests.post + "Content-Length: \(count)\r\n\r\n", reader)
        receive(text("a", count) + "GET", reader)
        guard case .head(let head)? = try reader.next() else { return #expect(Bool(false)) }
        #expect(try head.body() == .bytes(count))
        var read = 0
        while case .body(let bytes)? = try reader.next() {
            read += bytes.count
            #expect(bytes.count <= HTTPLimits().sliceBytes)
        }
        #expect(read == count)
        #expect(reader.unreadBytes == 3)
    }

    private func receive(_ text: String, _ reader: RequestReader) {
        Array(text.utf8).withUnsafeBytes { reader.receive($0) }
    }

    @Test func theNextRequestWaits() throws {
        let reader = RequestReader()
        let request = RequestReaderTests.get + "\r\n"
        receive(String(repeating: request, count: 1000), reader)
        for answered in 1...3 {
            guard case .head? = try reader.next() else { return #expect(Bool(false)) }
            #expect(try reader.next() == .end)
            #expect(reader.unreadBytes == (1000 - answered) * request.utf8.count)
        }
    }

    @Test func nothingIsReadBehindTheLastRequest() throws {
        let closing = RequestReaderTests.get + "Connection: close\r\n\r\n"
        let text = Array((closing + RequestReaderTests.get + "\r\n").utf8)
        for cuts in [[], [closing.utf8.count]] {
            let reading = Reading(text, cuts: cuts)
            #expect(reading.requests.count == 1)
            #expect(reading.requests.first?.head.isKeepAlive == false)
            #expect(reading.unreadBytes == 0)
        }
    }

    @Test func bytesBehindAnUpgradeAreGivenBack() throws {
        let reader = RequestReader()
        receive(RequestReaderTests.get + "Connection: Upgrade\r\nUpgrade: x\r\n\r\n\0\u{1}", reader)
        guard case .head? = try reader.next() else { return #expect(Bool(false)) }
        #expect(try reader.next() == .end)
        #expect(reader.takeRest() == [0, 1])
        #expect(reader.unreadBytes == 0)
    }

    /// A server that knows no upgrade answers the request as it is, and goes on.
    @Test func anUpgradeMayBeIgnored() {
        let request = RequestReaderTests.get + "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
        #expect(Reading(request + request).requests.count == 2)
    }

    @Test func anErrorStays() throws {
        let reader = RequestReader()
        receive("?", reader)
        for _ in 0..<2 {
            #expect(throws: HTTPError.self) { try reader.next() }
            receive(RequestReaderTests.get + "\r\n", reader)
        }
        #expect(reader.unreadBytes == 0)
    }

    @Test func anIdleReaderHasNoBuffers() throws {
        let reader = RequestReader()
        let idle = reader.memoryBytes
        #expect(reader.isBetweenRequests)
        receive(RequestReaderTests.post + "Content-Length: 3\r\n\r\na", reader)
        while try reader.next() != nil {}
        #expect(!reader.isBetweenRequests)
        #expect(reader.memoryBytes > idle)
        receive("bc", reader)
        while try reader.next() != nil {}
        #expect(reader.isBetweenRequests)
        #expect(reader.memoryBytes == idle)
    }

    @Test func aClientMayWaitForTheStatus100() {
        let expecting = RequestReaderTests.post + "Expect: 100-Continue\r\n\r\n"
        #expect(Reading(expecting).requests.first?.head.expectsContinue == true)
        let plain = RequestReaderTests.get + "\r\n"
        #expect(Reading(plain).requests.first?.head.expectsContinue == false)
    }

    @Test func aReaderMayBeDroppedAnywhere() {
        let text = RequestReaderTests.chunked + "3\r\nabc\r\n0\r\nA: b\r\n\r\n"
        for count in 0...text.utf8.count {
            _ = Reading(String(decoding: text.utf8.prefix(count), as: UTF8.self))
        }
    }
}
