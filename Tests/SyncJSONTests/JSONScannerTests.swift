import ModelSupport
import Testing

@testable import SyncJSON

/// The parser beside a plain one.
@Suite struct JSONScannerTests {
    private func read(_ bytes: [UInt8]) -> JSONTree? {
        try? bytes.withUnsafeBytes { bytes throws(JSONError) in
            try JSONNode.parse(bytes) { node throws(JSONError) in try node.tree(depth: 0) }
        }
    }

    @Test(arguments: 0..<8)
    func textsReadAsThePlainReaderReadsThem(seed: Int) {
        var random = RandomModel(seed: UInt64(seed))
        var valid = 0
        for _ in 0..<1000 {
            let text = Array(random.json(depth: 4, isWhole: true).utf8)
            #expect(read(text) == PlainJSON.read(text), "\(String(decoding: text, as: UTF8.self))")
            if read(text) != nil { valid += 1 }
            let bad = random.damaged(text + Array("    ".utf8))
            #expect(read(bad) == PlainJSON.read(bad), "\(String(decoding: bad, as: UTF8.self))")
        }
        #expect(valid > 300)
    }

    @Test(arguments: [
        #"[]"#, #" { } "#, "[\n1\t,\r2 ]", #"["\u0000\ud83d\ude00\u00e9\/"]"#, #"[0,-0,1e5,1E+5]"#,
        #"{"":{"":[]}}"#, #"[1.0e-5,-1.5,0.0]"#, "[\"\u{7F}\u{80}\u{2028}\"]",
        "{\"\u{E9}\":1,\"e\u{301}\":2}",
    ])
    func textsThatAreJSON(text: String) {
        #expect(read(Array(text.utf8)) != nil)
        #expect(read(Array(text.utf8)) == PlainJSON.read(Array(text.utf8)))
    }

    @Test(arguments: [
        "", " ", "1", "\"a\"", "null", "[", "{", "]", "[1,]", "[,1]", "[1 2]", "{\"a\"}",
        "{\"a\":}", "{\"a\":1,}", "{,}", "{1:2}", "{a:1}", "[1}", "{\"a\":1]", "[1]]", "[1] 2",
        "{} {}", "[01]", "[+1]", "[1.]", "[.5]", "[1e]", "[1e+]", "[-]", "[tru]", "[nul]", "[True]",
        #"["\x"]"#, #"["\u12"]"#, #"["\u12G4"]"#, #"["\ud800"]"#, #"["\udc00"]"#,
        #"["\ud800\u0041"]"#, #"["\ud800x"]"#, "[\"\u{1F}\"]", "[\"a\nb\"]", "[\"", "[\"\\",
        "[\"a\\\"]", "\u{FEFF}[]", "[\u{A0}1]", "[1]\u{0}", #"{"a":1,"a":2}"#,
        #"{"a":1,"\u0061":2}"#, #"{"\/":1,"/":2}"#, "[/**/]", "['a']",
    ])
    func textsThatAreNot(text: String) {
        #expect(read(Array(text.utf8)) == nil)
        #expect(PlainJSON.read(Array(text.utf8)) == nil)
    }

    /// Many keys are compared in another way than few.
    @Test(arguments: [2, 8, 9, 1000])
    func aKeyThatComesTwiceIsFound(count: Int) {
        func object(_ keys: [String]) -> [UInt8] {
            Array(("{" + keys.map { "\"\($0)\":{\"k0\":[]}" }.joined(separator: ",") + "}").utf8)
        }
        var keys = (0..<count).map { "k\($0)" }
        #expect(read(object(keys)) != nil)
        keys[count - 1] = #"k\u0030"#
        #expect(read(object(keys)) == nil)
    }

    @Test(arguments: [
        [0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80],
        [0xE2, 0x28, 0xA1],
    ])
    func whatIsNotUTF8IsRefused(bytes: [UInt8]) {
        #expect(read(Array("[\"a".utf8) + bytes + Array("\"]".utf8)) == nil)
        #expect(read(Array("{\"a".utf8) + bytes + Array("\":1}".utf8)) == nil)
    }

    @Test(arguments: [
        (#"{"a":1,}"#, "is not JSON: a key in quotes must come here (column 8)"),
        ("{\n \"é\":tru}", "is not JSON: a value must come here (line 2 of it, column 6)"),
        (#"["ä" 1]"#, "is not JSON: a comma or the end of the list must come here (column 6)"),
        (#"{"a":{"b":1,"b":2}}"#, "is not JSON: this key is a duplicate (column 14)"),
        ("[1", "is not JSON: it ends too early (column 3)"),
        ("[1]x", "is not JSON: nothing may come behind it (column 4)"),
        ("x", "is not JSON: an object or a list must come here (column 1)"),
    ])
    func mistakesSayWhereTheyAre(text: String, message: String) {
        #expect(problem(in: text)?.message == message)
    }

    @Test func soManyLevelsAreRead() {
        func lists(_ count: Int) -> String {
            String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        #expect(problem(in: lists(JSONScanner.maximumDepth))?.message == "must be an object")
        #expect(
            problem(in: lists(JSONScanner.maximumDepth + 1))?.message.contains("2048 levels")
                == true)
    }

    @Test func pathsLeadThroughObjectsAndLists() throws {
        let text = #"{"a":[{},[1,{"b":{},"c":[2,"here"]}]],"d":0}"#
        let path = try Array(text.utf8).withUnsafeBytes { bytes throws(JSONError) in
            try JSONNode.parse(bytes) { node throws(JSONError) in
                var found: [String] = []
                func visit(_ node: JSONNode) throws(JSONError) {
                    if (try? node.text())?.isSame(as: "here") == true {
                        found.append(node.path.text)
                    }
                    if let members = try? node.members() {
                        for member in members { try visit(member.node) }
                    } else if let elements = try? node.elements({ $0 }) {
                        for element in elements { try visit(element) }
                    }
                }
                try visit(node)
                return found
            }
        }
        #expect(path == ["a[1][1].c[1]"])
    }
}

extension RandomModel {
    /// A text of JSON, as different programs write it. A key may come twice.
    fileprivate mutating func json(depth: Int, isWhole: Bool = false) -> String {
        let space = ["", "", "", " ", "\n", "\t\r"][below(6)]
        let kinds = depth == 0 ? 5 : 7
        let text =
            switch isWhole ? 5 + below(2) : below(kinds) {
            case 0: ["true", "false", "null"][below(3)]
            case 1: "\(Int(truncatingIfNeeded: next()) >> below(64))"
            case 2: "\(Double(bitPattern: next() & ~(1 << 62)))"
            case 3: ["0", "-0", "1e2", "-1.25E-3", "9007199254740993"][below(5)]
            case 4: json(text: string(upTo: 6))
            case 5:
                "[" + list(upTo: 4) { $0.json(depth: max(0, depth - 1)) }.joined(separator: ",")
                    + "]"
            default:
                "{"
                    + list(upTo: 12) { random in
                        random.json(text: random.string(upTo: 2)) + space + ":"
                            + random.json(depth: max(0, depth - 1))
                    }.joined(separator: ",") + "}"
            }
        return space + text + space
    }

    /// A text in quotes, with escapes where there must be some, and where there may be.
    private mutating func json(text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            let mustBeEscaped = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
            guard mustBeEscaped || chance(10) else {
                json.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16, uppercase: chance(50))
                json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return json + "\""
    }
}
