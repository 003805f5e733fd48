import SeededRandom
import SyncEngine
import SyncModel
import Testing

@testable import SyncRoom

@Suite("Pending transactions")
struct TransactionRunsTests {
    private struct Waiting: Equatable {
        var bytes: [UInt8]
        var base: Revision
        var counter: UInt64
        var member: ConnectionID
    }

    @Test("leave the queue in their order, whoever sent them", arguments: 0..<30)
    func agreesWithAList(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let engine = Engine()
        let members = try (0..<3).map { number in
            Member(
                Admission(
                    member: ConnectionID(value: number), client: try Identifier("client \(number)")),
                secret: .test, sent: nil, floor: 0, leastSnapshot: 0, author: nil,
                counters: CounterRange(sent: 0, after: nil, known: 0, foreign: nil))
        }
        var queue = TransactionRuns()
        var expected: [Waiting] = []
        var member = members[0]
        for counter: UInt64 in 1...4000 {
            if Int.random(in: 0..<5, using: &random) == 0 {
                member = members.randomElement(using: &random) ?? member
            }
            let packed = try transaction(&random)
            packed.withView { queue.append($0, counter, of: member) }
            expected.append(
                Waiting(
                    bytes: packed.bytes, base: packed.base, counter: counter, member: member.id))
            if Int.random(in: 0..<40, using: &random) > 0 { continue }
            queue.announce(to: engine)
            // The queue is rarely emptied, so that transactions often leave it while others stay.
            let isEmptied = Int.random(in: 0..<100, using: &random) == 0
            take(&queue, keeping: isEmptied ? 0 : Int.random(in: 1...60, using: &random), &expected)
        }
        take(&queue, keeping: 0, &expected)
        #expect(expected.isEmpty)
    }

    private func take(
        _ queue: inout TransactionRuns, keeping kept: Int, _ expected: inout [Waiting]
    ) {
        var taken: [Waiting] = []
        queue.take(keeping: kept) { transaction, counter, member, _ in
            taken.append(
                Waiting(
                    bytes: [UInt8](transaction.bytes), base: transaction.base, counter: counter,
                    member: member.id))
            return true
        }
        #expect(taken == Array(expected.prefix(taken.count)))
        expected.removeFirst(taken.count)
        let (isEmpty, rest) = (queue.isEmpty, queue.operationCount)
        #expect(kept == 0 ? isEmpty && rest == 0 : rest <= kept)
        #expect(isEmpty == expected.isEmpty)
    }

    /// A few operations, now and then with large content.
    private func transaction(_ random: inout SplitMix64) throws -> PackedTransaction {
        let isLong = Int.random(in: 0..<500, using: &random) == 0
        let text = String(
            repeating: "x", count: isLong ? 50_000 : Int.random(in: 0..<40, using: &random))
        let field = Field(name: Identifier("title"), value: .text(text))
        let operations = try (0..<Int.random(in: 0...3, using: &random)).map { number in
            ListOperation.update(try Identifier("item \(number)"), ItemPatch(set: [field]))
        }
        return try PackedTransaction(
            ListTransaction(
                base: Revision.random(in: 0...1000, using: &random), operations: operations))
    }
}
