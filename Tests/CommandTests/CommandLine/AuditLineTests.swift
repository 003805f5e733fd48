import ModelSupport
import SyncModel
import SyncServer
import SyncTerminal
import SyncWire
import Testing

@testable import collsync

/// The lines of an audit trail, whatever texts others have chosen.
@Suite struct AuditLineTests {
    private static let texts =
        Spellings.all + [
            "ann", #"a"b\c"#, "two\nlines", "\u{1B}[31mred\u{2028}\u{202E}", "😀 ü", "",
            #"","address":"9.9.9.9"#, #"x\","kind":"join","address":"8.8.8.8"#,
        ]

    @Test(arguments: texts) func roundTrip(text: String) throws {
        let event = AuditEvent(
            .join, time: 1_700_000_000_123, user: UserName(try? Identifier(text)), address: text,
            token: try? Identifier(text), room: RoomName(text), code: .notAllowed, detail: text)
        let line = AuditLine(event, withAddress: true)
        #expect(!line.text.unicodeScalars.contains { $0.properties.generalCategory == .control })
        let read = try #require(AuditLine(bytes(line.text)))
        #expect(AuditLine.names.allSatisfy { read[$0].utf8.elementsEqual(line[$0].utf8) })
        #expect(read["time"] == "2023-11-14T22:13:20.123Z" && read["kind"] == "join")
    }

    /// A line that is written again has all but its address.
    @Test(arguments: texts, texts) func blanking(text: String, address: String) throws {
        let event = AuditEvent(
            .signIn, time: 1_700_000_000_123, user: UserName(try? Identifier(text)),
            address: address, room: RoomName(text), detail: text)
        let line = try #require(AuditLine(bytes(AuditLine(event, withAddress: true).text)))
        #expect(line.withoutAddress.text == AuditLine(event, withAddress: false).text)
    }

    private func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    @Test func tornLinesAreNone() {
        let event = AuditEvent(
            .join, time: 1, user: "a\"", address: "b\u{1}", room: roomName("c"))
        let line = Array(AuditLine(event, withAddress: true).text.utf8)
        for count in 0..<line.count { #expect(AuditLine(line[..<count]) == nil) }
        for text in [
            "", "{}", "[]", #"{"time":1}"#, #"{"time":"x"}"#, #"{"time":"x","kind":1}"#,
        ] {
            #expect(AuditLine(bytes(text)) == nil, "\(text)")
        }
    }

    @Test func peopleReadOneLine() {
        let event = AuditEvent(
            .join, time: 0, user: "ann ben", address: "\u{1B}[2J192.0.2.1:5\n", room: roomName("r"),
            code: .notAllowed, detail: "why")
        let shown = AuditCommand.shown(AuditLine(event, withAddress: true)).text
        #expect(!shown.unicodeScalars.contains { $0.value < 0x20 })
        #expect(shown.hasPrefix("1970-01-01T00:00:00.000Z join user="))
        #expect(shown.hasSuffix("refused=notAllowed: why"))
    }

    @Test func names() throws {
        for name in [
            "audit-00000012-2026-01-31T12-34-56Z.jsonl",
            "strangers-123456789-2026-01-31T12-34-56Z-blank.jsonl",
        ] {
            #expect(AuditFile(name: name)?.name == name)
        }
        for name in [
            "time", ".collsync-copy-abcdef", "audit-1-2026-01-31T12-34-56Z.jsonl",
            "audit-00000012-2026-01-32T12-34-56Z.jsonl", "audit-00000012.jsonl", ".jsonl",
            "other-00000012-2026-01-31T12-34-56Z.jsonl", "collsync.db",
        ] {
            #expect(AuditFile(name: name) == nil, "\(name)")
        }
    }

    @Test func times() {
        #expect(AuditTime(argument: "2023-11-14") == .at(milliseconds: 1_699_920_000_000))
        #expect(
            AuditTime(argument: "2023-11-14T22:13:20Z")
                == .at(milliseconds: 1_700_000_000_000))
        #expect(AuditTime(argument: "2h")?.milliseconds(at: 9_000_000) == 1_800_000)
        #expect(AuditTime(argument: "2h")?.milliseconds(at: 1) == 0)
        for text in ["", "yesterday", "2023-11-31", "12"] {
            #expect(AuditTime(argument: text) == nil)
        }
    }
}
