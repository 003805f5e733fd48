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

    @Test func listsSpanFields() {
        #expect(fields.list(of: "connection") == ["keep-alive", "Upgrade", "close"])
        #expect(fields.list(of: "connection", has: "upgrade"))
        #expect(!fields.list(of: "connection", has: "grade"))
    }
}
