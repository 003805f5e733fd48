import CollSync
import CollSyncUV
import ServerSupport
import SyncModel
import Testing

/// A transaction that exceeds the limits of a server.
@Suite struct RefusedTransactionTests {
    private func inserts(_ count: Int) throws -> [ListOperation] {
        let main = Identifier("main")
        return try (0..<count).map {
            .insert(Item(id: try Identifier("i\($0)")), to: Placement(section: main))
        }
    }

    @Test(arguments: [(1, 2), (2, 2), (7, 3), (10, 4), (5, 9), (3, 0), (0, 2)])
    func piecesAreTheWhole(count: Int, pieces: Int) throws {
        let operations = try inserts(count)
        let rejection = Rejection(code: .limitExceeded, message: "too large")
        let refused = RefusedTransaction(
            number: 1, operations: operations, base: nil, rejection: rejection)
        let split = refused.split(into: pieces)
        #expect(split.flatMap { $0 } == operations)
        #expect(split.count == max(1, min(pieces, count)))
        let lengths = split.map(\.count)
        #expect((lengths.max() ?? 0) - (lengths.min() ?? 0) <= 1)
        #expect(refused.isTooLarge == (count > 1))
    }

    /// 25,000 operations, while a server accepts 10,000 in one transaction.
    @Test func aRefusedTransactionGoesInPieces() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        let room = try await client.join("room")
        let operations = try inserts(25_000)
        var refused: RefusedTransaction?
        do {
            try await room.submit(operations)
            Issue.record("the transaction is accepted")
        } catch {
            #expect(error.code == "limitExceeded")
            refused = error.refused
        }
        let whole = try #require(refused)
        #expect(whole.operations == operations && whole.isTooLarge)
        // Halves are still too large, so the transaction is split into four.
        let commits = try await room.submitInPieces(whole)
        #expect(commits.count == 4)
        let held = try await client.snapshot(of: "room").sections[0].items.map(\.id)
        #expect(held == operations.compactMap(\.insertedID))
        client.close()
    }

    /// A client that sends without waiting finds the refused transaction by its number.
    @Test func aRefusedTransactionIsKept() async throws {
        let server = try await LocalServer.start()
        let client = try await CollectionClient.connect(to: server.address)
        let room = try await client.join("room")
        let operations = try inserts(10_001)
        let events = room.events
        let number = try await room.send(operations)
        for await event in events {
            if case .rejected(number, _) = event { break }
        }
        let refused = try #require(room.refused(number))
        #expect(refused.operations == operations)
        #expect(room.refused(number) == nil, "the transaction was accepted")
        #expect(try await room.submitInPieces(refused).count == 2)
        client.close()
    }
}

extension ListOperation {
    fileprivate var insertedID: Identifier? {
        if case .insert(let item, _) = self { item.id } else { nil }
    }
}
