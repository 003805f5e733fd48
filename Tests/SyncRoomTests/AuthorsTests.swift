import ModelSupport
import SyncEngine
import SyncModel
import Testing

@testable import SyncRoom

@Suite("The memory of an author is bounded")
struct AuthorsTests {
    private func enter(_ authors: inout Authors) -> Authors.Author {
        let author = Engine().author(id("anna"))
        authors.enter(Authors.Record(author, secret: .test))
        return author
    }

    private func commit(
        _ counter: UInt64, _ losses: [Superseded] = []
    ) -> Authors.Result {
        Authors.Result(
            counter: counter, .committed(Commit(revision: counter, superseded: losses)))
    }

    @Test(
        "a counter below a later commit is known as not committed, until commits are forgotten"
    )
    func passed() {
        var authors = Authors()
        let author = enter(&authors)
        authors.record(commit(2), of: author)
        authors.record(commit(5), of: author)
        #expect(authors.find(1, of: author) == .refused(nil))
        #expect(authors.find(2, of: author) == .committed(commit(2)))
        #expect(authors.find(4, of: author) == .refused(nil))
        #expect(authors.find(6, of: author) == .unknown)
        let last = 5 + 2 * UInt64(Authors.window)
        for counter in stride(from: 7, through: last, by: 2) {
            authors.record(commit(counter), of: author)
        }
        // The window is full, and has lost the first two.
        #expect(authors.find(4, of: author) == .forgotten)
        #expect(authors.find(5, of: author) == .forgotten)
        #expect(authors.find(6, of: author) == .refused(nil))
        #expect(authors.find(7, of: author) == .committed(commit(7)))
    }

    @Test("the oldest of many commits with many losses are still known as committed")
    func losses() {
        var authors = Authors()
        let author = enter(&authors)
        let losses = (0..<1000).map { Superseded(operation: $0, reason: .deleted) }
        for counter in 1...100 as ClosedRange<UInt64> {
            authors.record(commit(counter, losses), of: author)
        }
        #expect(authors[author].detailBytes <= Authors.maximumDetailBytes)
        guard case .committed(let first) = authors.find(1, of: author) else {
            Issue.record("the first is not known")
            return
        }
        #expect(first.rejection?.code == .forgotten)
        #expect(authors.find(100, of: author) == .committed(commit(100, losses)))
    }

    @Test("a counter of an unknown client is forgotten if its commit may have been evicted")
    func evicted() {
        var authors = Authors()
        let author = enter(&authors)
        for counter in 1...7 as ClosedRange<UInt64> {
            authors.record(commit(counter), of: author)
        }
        authors.evict(author)
        #expect(authors.evictedThrough == 7)
        func find(_ counter: UInt64, base: Revision) -> Authors.Finding {
            authors.find(counter, base: base, of: nil, .test, sentBefore: 9)
        }
        #expect(find(7, base: 6) == .forgotten)
        // A commit with this base would lie above what was evicted.
        #expect(find(8, base: 7) == .unknown)
        #expect(find(9, base: 0) == .forgotten)
        #expect(find(10, base: 0) == .unknown)
        #expect(find(0, base: 8) == .forgotten)
        // A remembered refusal is more precise.
        authors.refuse(Rejection(code: .notAllowed, message: "no"), 3, of: .test)
        #expect(find(3, base: 0) == .refused(Rejection(code: .notAllowed, message: "no")))
    }
}
