import HTTPSupport
import SyncHTTPCodec
import Testing

@Suite struct HTTPFieldsTests {
    private let fields = HTTPFields([
        "Host": "a", "connection": "keep-alive, Upgrade", "Connection": " ,\tclose ",
    ])

    @Test func namesHaveNoCase() {
        #expect(fields["HOST"] == "a")
        #expect(fields["hos"] == nil)
    }

    @Test func aFieldThatComesTwiceHasNoSingleValue() {
        #expect(fields["connection"] == nil)
        #expect(fields.values(of: "connection").count == 2)
    }

    /// A space and a combining mark are one character, and two bytes.
    @Test func spacesAreTrimmedByBytes() {
        let fields = HTTPFields(["a": "a \t\u{301}, \u{301}b ,\t\u{301}"])
        #expect(fields.list(of: "a").map(\.shown) == ["a \t\u{301}", "\u{301}b", "\u{301}"])
    }

    @Test func listsSpanFields() {
        #expect(fields.list(of: "connection").map(\.shown) == ["keep-alive", "Upgrade", "close"])
        #expect(fields.list(of: "connection", has: "upgrade"))
        #expect(!fields.list(of: "connection", has: "grade"))
    }
}
