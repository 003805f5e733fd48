import Testing

@testable import SyncServer

@Suite struct HTTPDateTests {
    @Test func aDateIsWrittenAsHTTPWantsIt() {
        var date = HTTPDate()
        #expect(date.text(at: 0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        // The example of RFC 9110, 5.6.7.
        #expect(date.text(at: 784_111_777_999) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(date.text(at: 784_111_778_000) == "Sun, 06 Nov 1994 08:49:38 GMT")
        #expect(date.text(at: 951_782_400_000) == "Tue, 29 Feb 2000 00:00:00 GMT")
        // A clock that is set back.
        #expect(date.text(at: 784_111_777_000) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(date.text(at: .max) == "Fri, 31 Dec 9999 23:59:59 GMT")
    }
}
