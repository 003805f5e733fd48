import SyncModel
import SyncWire
import Testing

@testable import SyncHTTP

@Suite struct ErrorStatusTests {
    /// A status says the same as the error's `retry`, so that programs that know no codes do right.
    @Test(arguments: ErrorCode.allCases)
    func whatMayBeRetriedSaysSo(_ code: ErrorCode) {
        let retried: Set = [408, 409, 429, 500, 503]
        if code.retry { #expect(retried.contains(code.status)) }
        #expect((400...599).contains(code.status))
    }
}
