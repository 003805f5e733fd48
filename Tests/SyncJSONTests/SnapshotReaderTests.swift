import SeededRandom
import SyncJSON
import SyncModel
import Testing

@Suite struct SnapshotReaderTests {
    /// Reads a text in pieces of these sizes, repeated.
    private func parts(
        _ text: String, pieces: [Int] = [1 << 16], limit: Int = 1 << 20
    ) throws(JSONError) -> [SnapshotReader.Part] {
        let bytes = Array(text.utf8)
        var reader = SnapshotReader(maximumElementBytes: limit)
        var parts: [SnapshotReader.Part] = []
        var position = 0
        var turn = 0
        while position < bytes.count {
            let end = min(bytes.count, position + pieces[turn % pieces.count])
            bytes[position..<end].withUnsafeBytes { reader.append($0) }
            while let part = try reader.next() { parts.append(part) }
            position = end
            turn += 1
        }
        try reader.finish()
        return parts
    }

    private func problem(_ text: String, limit: Int = 1 << 20) -> JSONError? {
        SyncJSONTests.problem { () throws(JSONError) in try parts(text, pieces: [7], limit: limit) }
    }

    private func parts(of snapshot: Snapshot) -> [SnapshotReader.Part] {
        snapshot.sections.flatMap { state in
            [.section(state.section)] + state.items.map { .item($0) }
        }
    }

    @Test(arguments: 1...UInt64(300))
    func `a snapshot reads back whole, however it is split`(seed: UInt64) throws {
        var random = RandomModel(seed: seed)
        let snapshot = try random.snapshot()
        let line = text(of: .snapshot(room: random.string(upTo: 9), snapshot))
        let expected = parts(of: snapshot)
        for pieces in [[1 << 16], [1], [1 + random.below(5), 1 + random.below(50)]] {
            #expect(try parts(line, pieces: pieces) == expected, "seed \(seed): \(line)")
        }
        let bare = String(line.dropFirst(#"{"snapshot":"#.count).dropLast())
        #expect(try parts(bare + "\n", pieces: [13]) == expected, "seed \(seed)")
    }

    @Test func `pieces written one by one make the same line`() throws {
        var random = RandomModel(seed: 7)
        let snapshot = try random.snapshot()
        var writer = JSONWriter()
        var written = ""
        func takeOut() {
            written += String(decoding: writer.bytes, as: UTF8.self)
            writer.reset()
        }
        writer.beginSnapshot(room: "r", revision: snapshot.revision)
        for state in snapshot.sections {
            writer.begin(state.section)
            takeOut()
            for item in state.items {
                writer.write(item)
                takeOut()
            }
            writer.endSection()
        }
        writer.endSnapshot()
        takeOut()
        #expect(written == text(of: .snapshot(room: "r", snapshot)))
    }

    @Test func `white space and any order of keys are taken`() throws {
        let text = """
            {
              "revision" : 4,
              "sections" : [
                { "fields" : { "items": [ "]" ] }, "id" : "a" },
                { "id" : "b" , "items" : [ ] },
                { "id" : "c" , "items" : [ { "id" : "x" } , { "id" : "y" } ] }
              ] ,
              "room" : "r"
            }

            """
        let fields = [Field(name: Identifier("items"), value: .list([.text("]")]))]
        let a = ListSection(id: Identifier("a"), content: try SectionContent(fields: fields))
        let expected: [SnapshotReader.Part] = [
            .section(a), .section(ListSection(id: Identifier("b"))),
            .section(ListSection(id: Identifier("c"))), .item(Item(id: Identifier("x"))),
            .item(Item(id: Identifier("y"))),
        ]
        for size in 1...9 { #expect(try parts(text, pieces: [size]) == expected) }
    }

    @Test(arguments: [
        (
            #"{"sections":[{"id":"a","items":[{"id":"x"},{"id":"y","colour":1}]}]}"#,
            "sections[0].items[1].colour"
        ),
        (
            #"{"snapshot":{"sections":[{"id":"a","items":[]},{"id":"b","tint":1,"items":[]}]}}"#,
            "snapshot.sections[1].tint"
        ),
        (
            #"{"sections":[{"id":"a","items":[{"id":"x"}]},{"id":"b","items":[{"id":"y","z":1}]}]}"#,
            "sections[1].items[0].z"
        ),
        (#"{"snapshot":{"sections":[],"age":1}}"#, "snapshot.age"),
        (#"{"snapshot":{"room":"r"}}"#, "snapshot.sections"),
        (#"{"snapshot":{"sections":[]},"more":1}"#, ""),
        (#"{"snapshot":1}"#, "snapshot"),
        (#"{"sections":{}}"#, "sections"),
        (#"{"sections":[{"id":"a","items":[]},7]}"#, "sections[1]"),
        (#"{"sections":[{"items":[]}]}"#, "sections[0].id"),
        (#"{"sections":[{"items":[],"id":"a"}]}"#, "sections[0].id"),
        (#"{"sections":[{"fields":{},"items":[],"id":"a"}]}"#, "sections[0].id"),
        (#"{"sections":[{"id":"a","items":[],"tint":1}]}"#, "sections[0].tint"),
        (#"{"sections":[{"id":"a","items":[],"id":"b"}]}"#, "sections[0]"),
        (#"{"id":"x","name":"board","cards":[],"lists":[]}"#, "id"),
        (#"{"sections":[],"cards":["#, "cards"),
        (#"{"room":"r","snapshot":{"sections":[]}}"#, "snapshot"),
        (#"{"snapshot":{"snapshot":{}}}"#, "snapshot.snapshot"),
        (#"{"sections":[{"id":"a","items":[],"items":[]}]}"#, "sections[0]"),
        (#"{"sections":[],"sections":[]}"#, ""),
        (#"{"sections":[{"id":"a","id":"b","items":[]}]}"#, "sections[0]"),
        (#"{"sections":[{"id":"a","items":[{"id":"x"},]}]}"#, "sections[0].items[1]"),
        (#"{"sections":[{"id":"a","items":[,{"id":"x"}]}]}"#, "sections[0].items[0]"),
        (#"{"sections":[{"id":"a","items":[{"id":"x"}{"id":"y"}]}]}"#, "sections[0].items[0]"),
        (#"{"sections":[{"id":"a","items":[{"id":"x"}}]}"#, "sections[0].items[1]"),
        (#"{"sections":[{,"id":"a","items":[]}]}"#, "sections[0]"),
        (#"{"sections":[{"id":"a",,"items":[]}]}"#, "sections[0]"),
        (#"{"sections":[{"id":"a","items":[],}]}"#, "sections[0]"),
        (#"{"sections":[{"id":"a",}]}"#, "sections[0]"),
        (#"{"sections":[]} {}"#, ""),
        (#"{"sections":[]},"#, ""),
        (#"[]"#, ""), (#"}"#, ""), (#"7"#, ""), (#""#, ""),
    ])
    func `what is wrong is named with its place`(text: String, path: String) throws {
        let error = try #require(problem(text))
        #expect(error.path == path, "\(error)")
    }

    @Test func `a key that there is not is refused with those that there are, before its value`() {
        let keys = "unknown key; it can be room, revision, snapshot, sections"
        #expect(problem(#"{"cards":["# + String(repeating: "1,", count: 9))?.message == keys)
        #expect(
            problem(#"{"snapshot":{"cards":"#)?.message
                == "unknown key; it can be room, revision, sections")
    }

    @Test func `members behind the items come when the section ends`() throws {
        let text = """
            {"sections":[{"id":"a","items":[{"id":"x"}],"fields":{"c":1},"flags":["movable"]},\
            {"fields":{"c":2},"id":"b","items":[]},{"id":"d","items":[]}]}
            """
        func section(_ id: Identifier, _ value: Double?) throws -> ListSection {
            let fields = value.map { [Field(name: Identifier("c"), value: .number($0))] } ?? []
            return ListSection(id: id, content: try SectionContent(fields: fields))
        }
        let parts = try parts(text.replacing(#","flags":["movable"]"#, with: ""))
        #expect(
            parts == [
                .section(try section("a", nil)), .item(Item(id: "x")),
                .wholeSection(try section("a", 1)), .section(try section("b", 2)),
                .section(try section("d", nil)),
            ])
    }

    @Test(arguments: [1, 2, 3, 4, 100])
    func `a byte order mark is passed over`(pieceBytes: Int) throws {
        let text = #"{"sections":[{"id":"a"}]}"#
        let expected = try parts(text)
        #expect(try parts("\u{FEFF}" + text, pieces: [pieceBytes]) == expected)
        #expect(try parts("\u{FEFF} \n" + text, pieces: [pieceBytes]) == expected)
        #expect(problem("\u{FEFF}\u{FEFF}" + text) != nil)
        #expect(problem("\u{FEFF}") != nil && problem("{\u{FEFF}}") != nil)
    }

    @Test func `a snapshot that is cut off anywhere is an error`() throws {
        let text = #"{"snapshot":{"room":"r","sections":[{"id":"a","items":[{"id":"x"}]}]}}"#
        _ = try parts(text)
        for length in 0..<text.utf8.count {
            #expect(problem(String(text.prefix(length))) != nil)
        }
    }

    @Test(arguments: [
        #"{"sections":[{"id":"a","items":[{"id":""#, #"{"sections":[{"id":"a","items":[[[["#,
        #"{"room":""#, #"{"sections":[{"id":""#, #"{"sections"      "#, #"{"sections":   "#,
        #"{"sections":[{"a":1,"#,
    ])
    func `an element without an end is an error beyond the limit`(beginning: String) throws {
        let filler = String(beginning.suffix(beginning.hasSuffix(",") ? 6 : 1))
        let text = beginning + String(repeating: filler, count: 5000)
        let error = try #require(problem(text, limit: 1000))
        let isInGap = beginning.hasSuffix(" ")
        #expect(error.message.contains(isInGap ? "white space" : "longer than 1000 bytes"))
    }

    @Test func `a damaged snapshot never traps`() throws {
        var random = RandomModel(seed: 3)
        let pool = Array("{}[]\",:\\a0 ".utf8)
        for _ in 0..<2000 {
            var bytes = Array(
                #"{"snapshot":{"room":"r","sections":[{"id":"a","items":[{"id":"x"},{"id":"y"}]}]}}"#
                    .utf8)
            for _ in 0...random.below(3) {
                let index = random.below(bytes.count)
                bytes[index] = pool[random.below(pool.count)]
            }
            _ = problem(String(decoding: bytes, as: UTF8.self))
        }
    }
}
