import SyncEngine
import Testing

@testable import SyncRoom

@Suite("What a ledger keeps of an author is bounded")
struct LedgerTests {
    private func enter(_ ledger: inout Ledger) -> Ledger.Author {
        ledger.enter(id("anna"), secret: [], number: Engine().author(id("anna")))
    }

    @Test("of many long refusals the oldest are known by their codes")
    func refusals() {
        var ledger = Ledger()
        let author = enter(&ledger)
        let message = String(repeating: "x", count: 700)
        let codes: [Rejection.Code] = [.unknownItem, .unknownItem, .notAllowed]
        for counter in 1...3000 {
            let rejection = Rejection(code: codes[counter % 3], message: message)
            ledger.record(
                Ledger.Result(counter: UInt64(counter), .rejected(rejection)), of: author)
            #expect(ledger.records[author].detailBytes <= Ledger.maximumDetailBytes)
        }
        for counter in (3000 - Ledger.window + 1)...3000 {
            guard case .answered(.rejected(let known)) = ledger.find(UInt64(counter), of: author)
            else {
                Issue.record("counter \(counter) is not known")
                continue
            }
            #expect(known.code == codes[counter % 3])
        }
        #expect(ledger.find(1, of: author) == .forgotten)
        let last = Rejection(code: codes[0], message: message)
        #expect(ledger.find(3000, of: author) == .answered(.rejected(last)))
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
        #expect(ledger.records[author].detailBytes <= Ledger.maximumDetailBytes)
        guard case .answered(.rejected(let first)) = ledger.find(1, of: author) else {
            Issue.record("the first is not known")
            return
        }
        #expect(first.code == .forgotten)
        let last = Commit(revision: 100, superseded: losses)
        #expect(ledger.find(100, of: author) == .answered(.committed(last)))
    }
}
