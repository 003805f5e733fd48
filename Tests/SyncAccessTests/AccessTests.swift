import SyncAccess
import SyncModel
import Testing

@Suite("Access")
struct AccessTests {
    @Test(
        "a pattern names one room, those that begin alike, or all",
        arguments: [
            ("lobby", "lobby", true), ("lobby", "lobby2", false), ("lobby2", "lobby", false),
            ("team-*", "team-", true), ("team-*", "team-a", true), ("team-*", "team", false),
            ("*", "anything", true), ("é", "e\u{301}", false),
        ])
    func pattern(text: String, room: String, isNamed: Bool) throws {
        let pattern = try #require(RoomPattern(text))
        #expect(pattern.names(try #require(RoomName(room))) == isNamed)
        #expect(pattern.description == text)
        #expect(pattern.namesAll == (text == "*"))
    }

    @Test(
        "what is no pattern is refused",
        arguments: [
            "", "a*b", "**", "a**", "a/b", "a/*", "a\nb", "*a", String(repeating: "x", count: 129),
        ])
    func noPattern(text: String) {
        #expect(RoomPattern(text) == nil)
    }

    @Test("the greatest role that any grant gives counts")
    func role() throws {
        let access = Access(
            user: "ann",
            grants: [
                Grant(.viewer, in: .all), Grant(.admin, in: try #require(RoomPattern("team-*"))),
                Grant(.editor, in: try #require(RoomPattern("team-a"))),
            ])
        #expect(access.role(in: try #require(RoomName("team-a"))) == .admin)
        #expect(access.role(in: try #require(RoomName("other"))) == .viewer)
        #expect(
            access.roles.has(.viewer, inAllRooms: ()) && !access.roles.has(.editor, inAllRooms: ()))
        #expect(Access(user: "", grants: []).role(in: try #require(RoomName("other"))) == nil)
    }

    @Test("times are read as they are written, and no others")
    func times() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (1_769_862_896, "2026-01-31T12:34:56Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] as [(UInt64, String)] {
            #expect(UTCSeconds.text(seconds) == text)
            #expect(text.withBytes({ UTCSeconds.parse($0) }) == seconds)
        }
        #expect(UTCSeconds.text(.max) == "9999-12-31T23:59:59Z")
        for text in [
            "", "2026-01-31", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z", "2026-01-31t12:34:56z",
            "1969-12-31T23:59:59Z", "2026-01-31T12:34:56+00:00", "2026-00-01T00:00:00Z",
        ] {
            #expect(text.withBytes({ UTCSeconds.parse($0) }) == nil, "\(text)")
        }
    }
}
