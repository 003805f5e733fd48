import SeededRandom
import Testing

@testable import SyncHTTP

/// Strangers ask for more than anybody should get, send half of it, and vanish.
@Suite struct StrangerRequestTests {
    /// A request that asks for much, or is wrong.
    private func request(using random: inout SplitMix64) -> String {
        func post(_ path: String, _ body: String) -> String {
            "POST \(path) HTTP/1.1\r\nHost: s\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
        }
        func get(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: s\r\n\r\n" }
        let wide = ["1e9", "NaN", "-1", "20000", "375"]
        let layout = #"{"kind":"waterfall","columnCount":1000000}"#
        let nested = String(repeating: "[", count: 50_000)
        switch random.below(10) {
        case 0:
            return post(
                "/v1/layout",
                #"{"layout":\#(layout),"bounds":{"width":1e9},"sections":[{"count":1e9}]}"#)
        case 1: return post("/v1/layout", nested)
        case 2:
            let items = Array(repeating: "{}", count: 20_000).joined(separator: ",")
            return post(
                "/v1/layout",
                #"{"layout":{"kind":"line"},"bounds":{},"sections":[{"items":[\#(items)]}],"#
                    + #""rect":{},"proposedOffset":{"x":1e300}}"#)
        case 3:
            return post(
                "/v1/rooms/list/view",
                #"{"view":{"id":"v","layout":\#(layout),"bounds":{"width":1e9,"height":1e9}}}"#)
        case 4:
            return post(
                "/v1/rooms/list/view",
                #"{"view":{"id":"v","layout":{"kind":"flow"},"bounds":{"width":\#(random.below(900)),"#
                    + #""height":1e6}}}"#)
        case 5:
            let size = "width=\(random.pick(wide) ?? "")&height=\(random.pick(wide) ?? "")"
            return get("/v1/rooms/list/layout.png?kind=flow&scale=0.2&\(size)")
        case 6: return get("/v1/rooms/list/layout.svg?kind=mosaic&spec=\(nested.prefix(4000))")
        case 7: return get("/v1/rooms/list/export.csv")
        case 8:
            return "POST /v1/rooms/new/import?append=true HTTP/1.1\r\nHost: s\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n"
                + String(
                    repeating: "2710\r\n" + String(repeating: " ", count: 10_000) + "\r\n",
                    count: 20)
        default:
            let items = (0..<5000).map { #"{"id":"i\#($0)"}"# }.joined(separator: ",")
            return post(
                "/v1/rooms/new/import?append=true",
                #"{"sections":[{"id":"s","items":[\#(items)]}]}"#)
        }
    }

    private func figure(_ name: String, in stats: String) throws -> Int {
        let found = stats.firstRange(of: "\"\(name)\":")
        let start = try #require(found?.upperBound, "\(stats)")
        return try #require(Int(stats[start...].prefix { $0.isNumber }))
    }

    @Test(arguments: [UInt64](1...20)) func theyDisturbNobody(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let world = try HTTPWorld(seed: seed)
        let room = HTTPRoom(client: try world.connect(), name: "list")
        try room.fill(using: &random)
        let before = try room.sections()
        let path = room.path + "/stats"
        let bytes = try figure("connectionBytes", in: try room.client.ask(path).text)
        var strangers: [HTTPClient] = []
        for number in 0..<30 {
            let stranger = try world.connect(from: "203.0.113.\(number + 1)")
            let text = request(using: &random)
            let count = random.chance(40) ? random.below(text.utf8.count) : text.utf8.count
            stranger.send(String(decoding: text.utf8.prefix(count), as: UTF8.self))
            _ = world.run(limitMilliseconds: UInt64(random.below(30))) { false }
            if random.chance(50) { stranger.close() } else { strangers.append(stranger) }
            if random.chance(30) {
                let drawn = try room.client.ask(room.path + "/layout.svg?kind=flow")
                #expect(drawn.status == 200, "\(drawn.text)")
                #expect(try room.sections() == before)
            }
        }
        // Those that are half sent end by themselves.
        for stranger in strangers where random.chance(50) { stranger.close() }
        #expect(
            world.run(limitMilliseconds: 300_000) { strangers.allSatisfy(\.isClosed) },
            "seed \(seed): a stranger is still there")
        // The connection from before was idle for long.
        let after = HTTPRoom(client: try world.connect(), name: "list")
        #expect(world.run { room.client.isClosed })
        #expect(try after.sections() == before)
        let stats = try after.client.ask(path).text
        #expect(try figure("members", in: stats) == 0)
        #expect(try figure("connections", in: stats) <= 2, "\(stats)")
        let left = try figure("connectionBytes", in: stats)
        #expect(left <= bytes + 20_000, "\(left) bytes after \(bytes)")
    }
}
