import SyncEngine
import Testing

@testable import SyncRoom

@Suite("What a ledger keeps of an author is bounded")
struct LedgerTests {
    private func enter(_ ledger: inout Ledger) -> Ledger.Author {
        let author = Engine().author(id("anna"))
        ledger.enter(author, secret: .test)
        return author
    }

    @Test(
        "a counter that a later commit has passed is known not to be one, until commits are forgotten"
    )
    func passed() {
        var ledger = Ledger()
        let author = enter(&ledger)
        func commit(_ counter: UInt64) {
            ledger.record(
                Ledger.Result(counter: counter, .committed(Commit(revision: counter))), of: author)
        }
        commit(2)
        commit(5)
        #expect(ledger.find(1, of: author) == .passed)
        #expect(ledger.find(2, of: author) == .answered(.committed(Commit(revision: 2))))
        #expect(ledger.find(4, of: author) == .passed)
        #expect(ledger.find(6, of: author) == .new)
        let last = 5 + 2 * UInt64(Ledger.window)
        for counter in stride(from: 7, through: last, by: 2) { commit(counter) }
        // The window is full, and has lost the first two.
        #expect(ledger.find(4, of: author) == .forgotten)
        #expect(ledger.find(5, of: author) == .forgotten)
        #expect(ledger.find(6, of: author) == .passed)
        #expect(ledger.find(7, of: author) == .answered(.committed(Commit(revision: 7))))
    }

    @Test("of many commits with many losses the oldest are known to have been made")
    func losses() {
        var ledger = Ledger()
        let author = enter(&ledger)
        let losses = (0..<1000).map { Superseded(operation: $0, reason: .deleted) }
        for counter in 1...100 as ClosedRange<UInt64> {
            let commit = Commit(revision: counter, superseded: losses)
            ledger.record(Ledger.Result(counter: counter, .committed(commit)), of: author)
        }
        #expect(ledger.records[Int(author.slot)].detailBytes <= Ledger.maximumDetailBytes)
        guard case .answered(.rejected(let first)) = ledger.find(1, of: author) else {
            Issue.record("the first is not known")
            return
        }
        #expect(first.code == .forgotten)
        let last = Commit(revision: 100, superseded: losses)
        #expect(ledger.find(100, of: author) == .answered(.committed(last)))
    }
}
