import HTTPSupport
import SeededRandom
import SyncJSON
import SyncModel
import Testing

@testable import SyncHTTP

/// Rooms as comma-separated values.
@Suite struct TableReadTests {
    /// Reads lines by the rules of RFC 4180; a missing text is `nil`.
    private func rows(of text: String) -> [[String?]] {
        var rows: [[String?]] = []
        var (row, field): ([String?], String?) = ([], nil)
        var rest = text.unicodeScalars[...]
        var isQuoted = false
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"" where isQuoted && rest.first == "\"":
                field?.unicodeScalars.append(rest.removeFirst())
            case "\"":
                isQuoted.toggle()
                if field == nil { field = "" }
            case _ where isQuoted: field?.unicodeScalars.append(scalar)
            case ",":
                row.append(field)
                field = nil
            case "\r": break
            case "\n":
                rows.append(row + [field])
                (row, field) = ([], nil)
            default:
                if field == nil { field = "" }
                field?.unicodeScalars.append(scalar)
            }
        }
        #expect(row.isEmpty && field == nil && !isQuoted)
        return rows
    }

    private func text(_ value: Value?) -> String? {
        switch value {
        case nil: return nil
        case .text(let text): return text
        case let value?:
            var writer = JSONWriter()
            writer.write(value)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }

    @Test(arguments: [UInt64](1...30)) func aTableHasEachItem(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let world = try HTTPWorld(seed: seed) { $0.wire.frameBytes = 64 << 10 }
        let room = HTTPRoom(client: try world.connect(), name: "list")
        try room.fill(using: &random)
        let values = ["null", "true", "7.5", #""""#, #""=1+1""#, "[1,2]", #"{"a":"b,\"c\""}"#]
        for index in 0..<random.below(30) {
            let name = random.pick(["title", "ü", "a,b", "Z", "\\\""]) ?? ""
            let long = String(repeating: "z", count: random.chance(20) ? 9000 : 0)
            try room.post([
                #"{"insert":{"item":{"id":"o\#(index)","kind":"k","fields":{"\#(name)":"#
                    + #"\#(random.pick(values) ?? ""),"long":"\#(long)"}},"#
                    + #""to":{"section":"main"}}}"#
            ])
        }
        let snapshot = try room.sections()
        let items = snapshot.sections.flatMap { state in
            state.items.map { (state.section.id.text, $0) }
        }
        let names = Set(items.flatMap { $0.1.content.fields.map(\.name.text) })
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for wanted in [nil, ["title", "none", "Z"]] {
            let query = wanted.map { "?fields=" + $0.joined(separator: ",") } ?? ""
            let answer = try room.client.ask(room.path + "/export.csv" + query)
            #expect(answer.status == 200)
            let columns = wanted ?? names
            let expected =
                [
                    ["section", "id", "kind", "width", "height"]
                        + columns.map { "fields." + $0 }
                ]
                + items.map { section, item in
                    [
                        section, item.id.text, item.content.kind?.text,
                        text(item.content.size.map { .number($0.width) }),
                        text(item.content.size.map { .number($0.height) }),
                    ]
                        + columns.map { name in
                            text(item.content.fields.first { $0.name.text == name }?.value)
                        }
                }
            #expect(rows(of: answer.text) == expected, "seed \(seed)")
        }
    }

    @Test func anEmptyRoomHasAHeader() throws {
        let client = try HTTPWorld().connect()
        #expect(try client.ask("/v1/rooms/list/export.csv").status == 404)
        #expect(try client.ask("PUT", "/v1/rooms/list").status == 201)
        let answer = try client.ask("/v1/rooms/list/export.csv")
        #expect(answer.status == 200)
        #expect(answer.text == "section,id,kind,width,height\r\n")
        #expect(answer.head.fields["X-Content-Type-Options"] == "nosniff")
        #expect(try client.ask("/v1/rooms").text.contains(#""name":"list""#))
    }

    @Test func aFormulaStaysAsItIs() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        try room.post([
            #"{"insert":{"item":{"id":"a","fields":{"t":"=1+1"}},"to":{"section":"main"}}}"#
        ])
        let answer = try room.client.ask(room.path + "/export.csv")
        #expect(answer.text.hasSuffix("main,a,,,,=1+1\r\n"))
    }

    @Test func anOlderRevisionIsRead() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        for id in ["a", "b"] {
            try room.post([#"{"insert":{"item":{"id":"\#(id)"},"to":{"section":"main"}}}"#])
        }
        let old = try room.client.ask(room.path + "/export.csv?revision=1")
        #expect(old.text.split(separator: "\r\n").count == 2)
        let tag = try #require(old.head.fields["ETag"])
        let again = try room.client.ask(
            "GET", room.path + "/export.csv?revision=1", ["If-None-Match": tag])
        #expect(again.status == 304)
    }

    @Test func tooManyColumnsAreNamed() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        for item in 0..<5 {
            let fields = (0..<201).map { #""f\#(item)-\#($0)":1"# }.joined(separator: ",")
            try room.post([
                #"{"insert":{"item":{"id":"i\#(item)","fields":{\#(fields)}},"#
                    + #""to":{"section":"main"}}}"#
            ])
        }
        let answer = try room.client.ask(room.path + "/export.csv")
        #expect(answer.status == 422)
        #expect(answer.text.contains(#""code":"limitExceeded""#))
        let named = try room.client.ask(room.path + "/export.csv?fields=f1-0,f4-200")
        #expect(named.text.hasSuffix("main,i4,,,,,1\r\n"))
        let long = String(repeating: "a", count: 129)
        for names in ["a,a", "a%07", long, "", "a,", "%22a", "a%22", "%22a%22b", "a,%22a%22"] {
            #expect(try room.client.ask(room.path + "/export.csv?fields=" + names).status == 400)
        }
    }

    @Test func namesAreLimited() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        try room.post([
            #"{"insert":{"item":{"id":"a","fields":{"7":7,"é":1,"x,\"y":2}},"to":{"section":"main"}}}"#
        ])
        func status(_ names: [String]) throws -> Int {
            try room.client.ask(room.path + "/export.csv?fields=" + names.joined(separator: ","))
                .status
        }
        let names = (0..<1001).map { "\($0)" }
        #expect(try status(Array(names.dropLast())) == 200)
        #expect(try status(names) == 400)
        // Two spellings of one glyph are two names, and a comma separates whatever follows it.
        let answer = try room.client.ask(
            room.path + "/export.csv?fields=e%CC%81,%C3%A9,%CC%81,7,none")
        #expect(answer.text.hasSuffix("main,a,,,,,1,,7,\r\n"), "\(answer.text)")
        // What the first line says can be asked for.
        let quoted = try room.client.ask(room.path + "/export.csv?fields=7,%22x,%22%22y%22")
        #expect(quoted.text.hasSuffix("fields.7,\"fields.x,\"\"y\"\r\nmain,a,,,,7,2\r\n"))
    }

    /// A short item may have a long line.
    @Test func manyColumnsComeInPieces() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        for item in 0..<5 {
            let fields = (0..<200).map { #""f\#(item)-\#($0)":1"# }.joined(separator: ",")
            try room.post([
                #"{"insert":{"item":{"id":"i\#(item)","fields":{\#(fields)}},"#
                    + #""to":{"section":"main"}}}"#
            ])
        }
        try room.post(
            (0..<1000).map { #"{"insert":{"item":{"id":"\#($0)"},"to":{"section":"main"}}}"# })
        let answer = try room.client.ask(room.path + "/export.csv")
        #expect(answer.status == 200 && answer.body.count > 1_000_000)
        let rows = self.rows(of: answer.text)
        #expect(rows.count == 1006 && rows.allSatisfy { $0.count == 1005 })
        #expect(rows.last?[1] == "999")
    }

    /// A client that takes nothing is sent a little, and the rest when it reads on.
    @Test func aSlowClientHasLittleWaiting() throws {
        let world = try HTTPWorld { $0.wire.frameBytes = 64 << 10 }
        let room = HTTPRoom(client: try world.connect(), name: "list")
        let text = String(repeating: "x", count: 1000)
        for part in 0..<200 {
            try room.post(
                (0..<10).map {
                    #"{"insert":{"item":{"id":"i\#(part)-\#($0)","fields":{"t":"\#(text)"}},"#
                        + #""to":{"section":"main"}}}"#
                })
        }
        let slow = try world.connect()
        slow.end.stream?.isReadingPaused = true
        slow.send("GET \(room.path)/export.csv HTTP/1.1\r\nHost: s\r\n\r\n")
        _ = world.run(limitMilliseconds: 5000) { false }
        let stats = try room.client.ask(room.path + "/stats").text
        // The room's text waits once for all that read it.
        let own = stats.firstMatch(of: #/"connectionBytes":(\d+),/#)
            .flatMap { Int($0.output.1) }
        #expect((own ?? .max) < 800_000, "\(stats)")
        slow.end.stream?.isReadingPaused = false
        let answer = try slow.takeAnswer()
        #expect(answer.status == 200 && answer.body.count > 2_000_000)
        #expect(answer.text.split(separator: "\r\n").count == 2001)
    }
}
