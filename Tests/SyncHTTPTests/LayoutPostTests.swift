import HTTPSupport
import LayoutTwin
import ServerSupport
import SyncJSON
import SyncLayout
import SyncServer
import Testing

@testable import SyncHTTP

/// Layouts of collections that are no rooms.
@Suite struct LayoutPostTests {
    private func ask(_ body: String) throws -> HTTPClient.Answer {
        try HTTPWorld().connect().ask("POST", "/v1/layout", body: body)
    }

    @Test func itIsLaidOut() throws {
        let answer = try ask(
            #"{"layout":{"kind":"flow"},"bounds":{"width":320},"sections":[{"count":1}]}"#)
        #expect(answer.status == 200)
        #expect(
            answer.text
                == #"{"contentSize":{"width":320,"height":50},"elements":[{"category":"cell","#
                + #""section":0,"item":0,"frame":{"x":0,"y":0,"width":50,"height":50},"#
                + #""zIndex":0,"scale":1}]}"# + "\n")
    }

    /// Options that a layout does not use are named, those of sections too.
    @Test func optionsWithoutAnEffectAreNamed() throws {
        let layout = #"{"layout":{"kind":"mosaic","alignment":"center"},"bounds":{"width":320},"#
        let answer = try ask(layout + #""sections":[{"count":1,"fit":"plain"}]}"#)
        #expect(answer.status == 200)
        #expect(answer.head.fields["Collsync-Warning"] == "mosaic does not use alignment, fit")
        let used = try ask(#"{"layout":{"kind":"mosaic","rtl":true},"bounds":{"width":320}}"#)
        #expect(used.status == 200 && used.head.fields["Collsync-Warning"] == nil)
    }

    /// What would take long, or much memory, is refused with a reason.
    @Test(arguments: [
        (#"{"layout":{"kind":"flow"},"bounds":{},"sections":[{"count":1e9}]}"#, 422),
        (#"{"layout":{"kind":"flow"},"bounds":{},"sections":[{"count":100000}]}"#, 422),
        (#"{"layout":{"kind":"line"},"bounds":{},"sections":[{"count":99999},{"count":2}]}"#, 422),
        (
            #"{"layout":{"kind":"flow"},"bounds":{},"sections":[{"count":100001}],"#
                + #""rect":{"width":9,"height":9}}"#, 422
        ),
        (
            #"{"layout":{"kind":"waterfall","columnCount":1000000},"bounds":{"width":1e9},"#
                + #""sections":[{"count":9}]}"#, 422
        ),
        (
            #"{"layout":{"kind":"flow","itemSize":{"width":1e308,"height":1e308}},"#
                + #""bounds":{"width":1e308},"sections":[{"count":3}]}"#, 422
        ),
        (#"{"layout":{"kind":"flow"},"bounds":{"width":NaN}}"#, 400),
        (#"{"layout":{"kind":"flow"},"bounds":{"width":1e999}}"#, 400),
        (#"{"layout":{"kind":"spiral"},"bounds":{}}"#, 400),
        (#"{"layout":{"kind":"flow"}}"#, 400), ("", 400), ("[]", 400),
        (String(repeating: "[", count: 100_000), 400),
        (String(repeating: #"{"layout":"#, count: 10_000), 400),
        (String(repeating: " ", count: LayoutPost.mostBytes + 1), 413),
    ])
    func bombsAreRefused(body: String, status: Int) throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        let answer = try client.ask("POST", "/v1/layout", body: body)
        #expect(answer.status == status, "\(answer.text.prefix(300))")
        #expect(answer.text.hasPrefix(#"{"error":{"code":"#))
        let isKept = answer.head.fields["Connection"] != "close"
        #expect(isKept == (status != 413))
        #expect(try (isKept ? client : world.connect()).ask("/healthz").status == 200)
    }

    /// A part of what is too much can be asked for.
    @Test func aPartIsLaidOut() throws {
        let answer = try ask(
            #"{"layout":{"kind":"flow"},"bounds":{"width":60},"sections":[{"count":100000}],"#
                + #""rect":{"y":3000000,"width":60,"height":100}}"#)
        #expect(answer.status == 200)
        #expect(answer.text.contains(#""item":50000,"#))
    }

    /// The search for the nearest cell ends, wherever scrolling was to end.
    @Test(arguments: [
        #"{"x":1e300}"#, #"{"x":-1e300,"y":5}"#, #"{"x":1e9}"#, "{}",
    ])
    func theNearestCellIsFound(offset: String) throws {
        let answer = try ask(
            #"{"layout":{"kind":"line","itemSize":{}},"bounds":{"width":60},"#
                + #""sections":[{"count":99999}],"rect":{},"proposedOffset":\#(offset)}"#)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.text.contains(#""targetOffset":{"#))
    }

    @Test(arguments: [UInt64](1...30))
    func itIsWhatTheLibraryLaysOut(seed: UInt64) throws {
        let random = RandomLayoutInput(seed: seed, hostile: false)
        let layout = ViewLayout(random.spec, in: random.environment)
        let sections = random.sections.map { section in
            #"{"count":\#(section.count)}"#
        }
        let body =
            #"\#(layout.json.dropLast()),"bounds":{"x":\#(random.bounds.x),"#
            + #""y":\#(random.bounds.y),"width":\#(random.bounds.width),"#
            + #""height":\#(random.bounds.height)},"sections":["#
            + sections.joined(separator: ",") + "]}"
        let answer = try ask(body)
        #expect(answer.status == 200, "\(answer.text)")
        let input = try Array(body.utf8).withUnsafeBytes { try LayoutInput(line: $0) }
        var writer = JSONWriter()
        writer.write(try LayoutAnswer(to: input))
        writer.endLine()
        #expect(answer.text == String(decoding: writer.bytes, as: UTF8.self))
    }

    /// So has each other body. What is in it is looked at only for who is let in.
    @Test(arguments: [
        "rooms/list/transactions", "rooms/list/view", "rooms/list/import", "tokens", "layout",
    ])
    func noBodyIsReadWithoutAToken(path: String) throws {
        for seed in 0..<8 as Range<UInt64> {
            // A long body is read by a worker, if that may be so long.
            let depth = path == "tokens" ? 2000 : 20_000
            for body in ["{", #"{"ops":[1]}"#, String(repeating: "[", count: depth)] {
                let world = try HTTPWorld(seed: seed) {
                    $0.tokens = TokenAuthentication(PlainTokens())
                    $0.tokens?.areTakenFromAnywhere = true
                }
                func status(_ token: String) throws -> Int {
                    try world.connect().ask(
                        "POST", "/v1/\(path)", ["Authorization": "Bearer \(token)"], body: body
                    ).status
                }
                #expect(try status("stranger") == 401)
                #expect(try status(PlainTokens.token("ann")) == 400)
            }
        }
    }

    /// A worker's time is not for strangers, however long their tokens take.
    @Test(arguments: 0..<20) func itNeedsATokenLikeTheRest(seed: UInt64) throws {
        let world = try HTTPWorld(seed: seed) {
            $0.tokens = TokenAuthentication(PlainTokens())
        }
        let answer = try world.connect().ask(
            "POST", "/v1/layout", ["Authorization": "Bearer stranger"], body: "{}")
        #expect(answer.status == 401)
        #expect(answer.text.contains(#""code":"badToken""#))
    }
}
