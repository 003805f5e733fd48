import ModelSupport
import SyncModel
import Testing

@testable import SyncJSON

/// Keys are compared where they are in the text, and content is written from its bytes.
@Suite struct JSONNameTests {
    private func command(_ text: String, counting made: inout Int) throws -> JoinCommand {
        try Array(text.utf8).withUnsafeBytes { try JoinCommand(line: $0, counting: &made) }
    }

    @Test func keysWithEscapesAreTheKeysThatTheyStandFor() throws {
        var made = 0
        let plain = try command(
            #"{"ops":[{"delete":{"id":"a"}}],"base":1}"#, counting: &made)
        let escaped = try command(
            #"{"\u006fps":[{"del\u0065te":{"\u0069\u0064":"\u0061"}}],"b\u0061se":1}"#,
            counting: &made)
        #expect(plain == escaped)
        #expect(throws: JSONError.self) { try command(#"{"op\u0000s":[]}"#, counting: &made) }
    }

    /// Names differ by a byte, by case, and by what is only a prefix.
    @Test(arguments: ["", "op", "opss", "Ops", "ops ", "o\u{200B}ps", "op\u{17F}"])
    func otherKeysAreUnknown(key: String) throws {
        var made = 0
        #expect(throws: JSONError(path: key.isEmpty ? #"[""]"# : path(key), message: unknown)) {
            try command(#"{"\#(key)":[]}"#, counting: &made)
        }
        #expect(made >= 13, "the names that the error lists count")
    }

    /// A character may have any number of combining marks.
    @Test func longKeysAreCutByTheirBytes() throws {
        var made = 0
        let key = "e" + String(repeating: "\u{301}", count: 10_000)
        let error = #expect(throws: JSONError.self) {
            try command(#"{"\#(key)":[]}"#, counting: &made)
        }
        let shown = "[\"e" + String(repeating: "\u{301}", count: 31) + "…\"]"
        #expect(error.map { Array($0.path.utf8) } == Array(shown.utf8))
    }

    private let unknown =
        "unknown key; it can be ops, base, tx, all, id, epoch, view, presence, drag, copy, cut, paste, "
        + "undo or redo"

    private func path(_ key: String) -> String {
        key.contains(" ") ? #"["\#(key)"]"# : key
    }

    @Test(arguments: [
        (#"{"ops":[]}"#, 0...0), (#"{"ops":[{"delete":{"id":"a"}}]}"#, 1...1),
        (#"{"presence":{"custom":[1,[],{},{"a":null}]}}"#, 11...11),
        (#"{"ops":[{"update":{"id":"a","set":{"b":[0,0,0]},"unset":["c","d"]}}]}"#, 11...11),
        // It fails at the end, but all values before that were made.
        (#"{"presence":{"custom":[0,0,0,0,0,0,0,0],"selected":1}}"#, 17...17),
    ])
    func whatIsMadeOfALineCounts(line: String, count: ClosedRange<Int>) {
        var made = 0
        _ = try? command(line, counting: &made)
        #expect(count.contains(made), "\(made)")
    }

    @Test(arguments: 0..<8)
    func contentIsWrittenAsItsValuesAre(seed: Int) throws {
        var random = RandomModel(seed: UInt64(seed))
        for _ in 0..<300 {
            let item = try random.item()
            #expect(text { $0.write(item) } == text { $0.write(plainValue(of: item)) })
        }
    }

    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// An item as `Protocol/json.md` says that it is written.
    private func plainValue(of item: Item) -> Value {
        var members = [Field(name: "id", value: .text(item.id.text))]
        func add(_ name: Identifier, _ value: Value?) {
            if let value { members.append(Field(name: name, value: value)) }
        }
        let parts = item.content.parts
        add("kind", parts.kind.map { .text($0.text) })
        add("fields", parts.fields.isEmpty ? nil : .object(parts.fields))
        add(
            "size",
            parts.size.map {
                .object([
                    Field(name: "width", value: .number($0.width)),
                    Field(name: "height", value: .number($0.height)),
                ])
            })
        let denied = ItemFlags.named.filter { !parts.flags.contains($0.flag) }.map {
            Field(name: Identifier(stringLiteral: "\($0.name)"), value: .bool(false))
        }
        add("flags", denied.isEmpty ? nil : .object(denied))
        return .object(members)
    }
}
