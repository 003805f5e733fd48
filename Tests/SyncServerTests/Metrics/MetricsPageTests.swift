import SyncBytes
import Testing

@testable import SyncServer

/// One text of the metrics for all who ask.
@Suite struct MetricsPageTests {
    @Test func itLivesForAMoment() {
        let page = MetricsPage()
        var made = 0
        func text(at now: UInt64) -> [UInt8] {
            page.text(at: now) {
                made += 1
                return [UInt8(made)]
            }.array
        }
        #expect(text(at: 1000) == [1])
        #expect(text(at: 1099) == [1])
        #expect(text(at: 1100) == [2])
        // The clock of another loop may be behind.
        #expect(text(at: 1050) == [2])
        #expect(made == 2)
    }

    /// A counter in the older text would seem to have gone back, if it came after the newer one.
    @Test func anOlderTextDoesNotReplaceANewerOne() {
        let page = MetricsPage()
        let slow = page.text(at: 1000) {
            #expect(page.text(at: 1000) { [2] }.array == [2])
            return [1]
        }
        #expect(slow.array == [2])
        #expect(page.text(at: 1001) { [3] }.array == [2])
    }
}
