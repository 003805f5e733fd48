import SeededRandom
import SyncJSON
import SyncModel
import Testing

/// Lines that no program should send: each is an error, or means what it says.
@Suite struct HostileTests {
    private static let goodLines = [
        #"{"ops":[{"insert":{"item":{"id":"milk","kind":"cell","fields":{"title":"Mi\u006ck ä","deep":[{"a":[null,true,-1.5e3]}]},"size":{"width":120,"height":80},"flags":{"movable":false}},"to":{"section":"main","after":"eggs","trail":["b","a"]}}}],"base":41,"tx":7}"#,
        #"{"ops":[{"updateSection":{"id":"done","set":{"title":"Did"},"unset":["x"],"supplementaries":{"header":{"size":{"width":1,"height":2},"fields":{"a":1}},"footer":null},"flags":{"acceptsMoves":true}}}]}"#,
        #"{"view":{"id":"v1","layout":{"kind":"flow","itemSize":{"width":5},"decorations":[{"kind":"card","inset":{"top":-8}}]},"contentInset":{"top":1},"safeArea":{"left":2},"layoutMargins":{"right":3},"pixelScale":2,"bounds":{"y":7,"width":320},"overscan":200}}"#,
    ]
    private static let goodServerLines = [
        #"{"batch":{"from":41,"to":42,"stages":[{"reloads":[{"section":0,"item":3,"content":{"id":"milk"}}]},{"insertSections":[{"section":1,"content":{"id":"s","supplementaries":{"header":{}}}}]}],"sections":2,"counts":[{"section":0,"items":4}]}}"#,
        #"{"snapshot":{"room":"r","revision":41,"sections":[{"id":"main","fields":{},"items":[{"id":"eggs","size":{"width":1,"height":80}}]}]}}"#,
        #"{"viewUpdate":{"view":"v1","revision":42,"contentSize":{"width":375,"height":900},"offset":{"y":60},"appeared":[{"element":{"category":"cell","section":0,"item":3,"id":"milk","frame":{"y":60,"width":5,"height":5},"zIndex":0,"scale":1},"initial":{"category":"cell","section":0,"item":3,"id":"milk","frame":{"y":60},"alpha":0,"hidden":true},"content":{"id":"milk","size":{"width":1,"height":2}}}],"changed":[{"from":{"category":"supplementary","kind":"header","section":1,"frame":{}},"to":{"category":"supplementary","kind":"header","section":1,"frame":{}},"content":{"id":"s"}}],"disappeared":[{"element":{"category":"decoration","kind":"card","section":1,"frame":{}},"final":{"category":"decoration","kind":"card","section":1,"frame":{}}}]}}"#,
    ]

    @Test(arguments: ["[", "{\"ops\":", "{\"a\":[", "{\"ops\":[{\"insert\":{\"item\":{\"fields\":"])
    func `deep nesting is an error`(opening: String) {
        let deep = String(repeating: opening, count: 100_000)
        #expect(problem(in: deep) != nil)
        #expect(problem(inServerLine: deep) != nil)
        let brackets =
            String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(problem(in: brackets) != nil)
    }

    @Test(arguments: ["[", "{\"a\":"])
    func `values nest as deep as the model allows`(opening: String) throws {
        func line(depth: Int) -> String {
            let closing = opening == "[" ? "]" : "}"
            let value =
                String(repeating: opening, count: depth) + "1"
                + String(repeating: closing, count: depth)
            return #"{"ops":[{"update":{"id":"a","set":{"f":\#(value)}}}]}"#
        }
        _ = try readCommand(line(depth: Value.maximumDepth))
        let error = try #require(problem(in: line(depth: Value.maximumDepth + 1)))
        #expect(error.message.contains("nested 32 deep"))
    }

    @Test(arguments: goodLines)
    func `a line that is cut off anywhere is an error`(line: String) throws {
        _ = try readCommand(line)
        let bytes = Array(line.utf8)
        for length in bytes.indices {
            let cut = Array(bytes[..<length])
            #expect(problem { () throws(JSONError) in try readCommand(cut) } != nil)
        }
    }

    @Test(arguments: goodServerLines)
    func `a server's line that is cut off anywhere is an error`(line: String) throws {
        _ = try readServerLine(line)
        let bytes = Array(line.utf8)
        for length in bytes.indices {
            let cut = Array(bytes[..<length])
            #expect(problem { () throws(JSONError) in try readServerLine(cut) } != nil)
        }
    }

    @Test(arguments: goodLines + goodServerLines, 0..<4)
    func `a damaged line never traps`(line: String, round: Int) {
        var random = RandomModel(seed: UInt64(round))
        let original = Array(line.utf8)
        for _ in 0..<500 {
            let bytes = random.damaged(original)
            _ = problem { () throws(JSONError) in try readCommand(bytes) }
            _ = problem { () throws(JSONError) in try readServerLine(bytes) }
        }
    }

    /// Gives each object of a good line in turn an unknown key.
    @Test(arguments: goodLines + goodServerLines)
    func `unknown keys are named at every level`(line: String) throws {
        let isServerLine = HostileTests.goodServerLines.contains(line)
        // In fields every key is a name. Where a key says what the object is, two keys are an
        // error.
        let free = ["fields", "set", "deep", "supplementaries"]
        var tried = 0
        var place = line.startIndex
        while let brace = line[place...].firstIndex(of: "{") {
            place = line.index(after: brace)
            let key = line[..<brace].split(separator: "\"").dropLast().last.map(String.init) ?? ""
            let isInList = line[..<brace].last == "["
            if free.contains(key), !isInList { continue }
            if line[..<brace].hasSuffix("\"deep\":[") { continue }
            let comma = line[place...].first == "}" ? "" : ","
            let spoiled = line[..<place] + "\"colour\":1" + comma + line[place...]
            let error =
                isServerLine ? problem(inServerLine: "\(spoiled)") : problem(in: "\(spoiled)")
            let found = try #require(error, "\(spoiled)")
            let isNamed =
                found.path.hasSuffix("colour") && found.message.hasPrefix("unknown key")
            #expect(isNamed || found.message.contains("exactly one key"), "\(found) in \(spoiled)")
            tried += 1
        }
        #expect(tried > 3)
    }

    @Test(arguments: [
        "NaN", "nan", "Infinity", "-Infinity", "1e999", "-1e999", "0x10", "01", "+1", ".5", "1.",
        "--1",
        "1e", "9007199254740993", "-9007199254740993", "9223372036854775808",
        "123456789012345678901234567890", "'1'", "undefined", "1,", "tru", "True",
    ])
    func `what is no exact number is an error`(token: String) {
        let line = #"{"ops":[{"increment":{"id":"a","field":"n","by":\#(token)}}]}"#
        #expect(problem(in: line) != nil)
    }

    @Test(arguments: [
        ("9007199254740992", 9_007_199_254_740_992), ("-9007199254740992", -9_007_199_254_740_992),
        ("1e20", 1e20), ("1.0", 1), ("-0", 0), ("1E-3", 0.001), ("0.1", 0.1),
        ("0.1000000000000000055511151231257827", 0.1), ("1e-999", 0),
    ])
    func `numbers are read exactly`(token: String, number: Double) throws {
        let line = #"{"ops":[{"increment":{"id":"a","field":"n","by":\#(token)}}]}"#
        let increment = ListOperation.increment(
            Identifier("a"), field: Identifier("n"), by: number)
        #expect(
            try readCommand(line) == .transaction(operations: [increment], base: nil, tx: nil))
    }

    @Test(arguments: [
        "1.5", "-1", "-0.5", "1e16", "9007199254740993", "true", "\"1\"", "null", "[1]", "1e300",
        "9007199254740992", "9007199254740992.0",
    ])
    func `an index is a whole number`(token: String) throws {
        let line = #"{"ops":[{"move":{"id":"a","to":{"section":"s","index":\#(token)}}}]}"#
        let error = try #require(problem(in: line))
        #expect(error.path == "ops[0].move.to.index")
    }

    @Test(arguments: [
        (#"{"ops":[{"delete":{"id":"a"}},{"delete":{"id":null}}]}"#, "ops[1].delete.id"),
        (#"{"ops":[{"update":{"id":"a","unset":["b",true,true]}}]}"#, "ops[0].update.unset[1]"),
        (#"{"ops":[{"update":{"id":"a","set":{"f":[[],[]]},"flags":[]}}]}"#, "ops[0].update.flags"),
        (#"{"ops":[{"update":{"set":{"f":[{}]}}}]}"#, "ops[0].update.id"),
        (#"{"tx":null,"ops":[null]}"#, "tx"), (#"[null]"#, ""),
    ])
    func `an error names its place among others like it`(line: String, path: String) throws {
        #expect(try #require(problem(in: line)).path == path)
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82],
            [0x00], [0x0A],
        ] as [[UInt8]])
    func `bytes that have no place in a text are an error`(bytes: [UInt8]) {
        let line = Array(#"{"ops":[{"delete":{"id":""#.utf8) + bytes + Array(#""}}]}"#.utf8)
        #expect(problem { () throws(JSONError) in try readCommand(line) } != nil)
    }

    @Test(arguments: [
        #"\ud800"#, #"\udc00"#, #"\ud800\u0041"#, #"\udc00\ud800"#, #"\uD8"#, #"\x41"#,
    ])
    func `half characters and false escapes are an error`(escape: String) {
        #expect(problem(in: #"{"ops":[{"update":{"id":"a","set":{"f":"\#(escape)"}}}]}"#) != nil)
    }

    @Test func `names that look the same are two`() throws {
        let line = "{\"ops\":[{\"update\":{\"id\":\"a\",\"set\":{\"\u{E9}\":1,\"e\u{301}\":2}}}]}"
        let fields = [
            Field(name: Identifier("\u{E9}"), value: .number(1)),
            Field(name: Identifier("e\u{301}"), value: .number(2)),
        ]
        let update = ListOperation.update(Identifier("a"), ItemPatch(set: fields))
        #expect(try readCommand(line) == .transaction(operations: [update], base: nil, tx: nil))
    }

    @Test(arguments: [
        #"{"ops":[],"ops":[]}"#, #"{"ops":[{"delete":{"id":"a"},"delete":{"id":"b"}}]}"#,
        #"{"ops":[{"update":{"id":"a","set":{"f":1,"f":2}}}]}"#,
        #"{"ops":[{"update":{"id":"a","set":{"f":1,"\u0066":2}}}]}"#,
    ])
    func `a duplicate key is an error`(line: String) throws {
        let error = try #require(problem(in: line))
        #expect(error.message.contains("duplicate"))
    }
}
