import SyncBytes
import SyncSim
import Testing

@testable import SyncRoom

@Suite("What is left of evicted authors")
struct DepartedAuthorsTests {
    private func reloaded(_ table: DepartedAuthors) throws -> DepartedAuthors {
        var writer = ByteWriter()
        table.write(to: &writer)
        var reader = ByteReader(writer.bytes)
        let again = try DepartedAuthors(&reader, limit: table.limit)
        #expect(reader.isAtEnd)
        return again
    }

    @Test("is what a list would keep, with the oldest dropped first", arguments: 1...20)
    func agreesWithAList(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let limit = Int.random(in: 1...40, using: &random)
        var table = DepartedAuthors(limit: limit)
        var list: [(client: UInt64, secret: UInt64, counter: UInt64)] = []
        var hasDropped = false
        for step in 1...4000 as ClosedRange<UInt64> {
            // So few values that hashes are often the same.
            let client = UInt64.random(in: 0..<60, using: &random)
            if Int.random(in: 0..<3, using: &random) == 0 {
                table.remove(ClientHash(value: client))
                list.removeAll { $0.client == client }
            } else {
                let counter = UInt64.random(in: 1...step, using: &random)
                table.add(ClientHash(value: client), secret: step, lastCounter: counter)
                let former = list.first { $0.client == client }
                list.removeAll { $0.client == client }
                list.append((client, step, max(counter, former?.counter ?? 0)))
                if list.count > limit {
                    list.removeFirst()
                    hasDropped = true
                }
            }
            if step % 97 == 0 { table = try reloaded(table) }
            #expect(table.count == list.count && table.hasDropped == hasDropped)
            let all = table.inOrder
            #expect(all.map(\.client.value) == list.map(\.client))
            #expect(all.map(\.entry.secret) == list.map(\.secret))
            #expect(all.map(\.entry.lastCounter) == list.map(\.counter))
        }
    }

    @Test("takes memory for what is there, not for what comes and goes")
    func memory() {
        var table = DepartedAuthors()
        for number in 0..<200_000 as Range<UInt64> {
            table.add(ClientHash(value: number), secret: 0, lastCounter: 1)
            if number >= 10 { table.remove(ClientHash(value: number - 10)) }
        }
        #expect(table.count == 10)
        #expect(table.byteCount < 100_000)
        #expect(!table.hasDropped)
    }
}
