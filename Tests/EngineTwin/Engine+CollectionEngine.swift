package import SyncEngine

extension Engine: CollectionEngine {
    package func readAhead(_ transaction: Transaction) {
        guard let packed = try? PackedTransaction(transaction) else { return }
        expect(packed)
    }

    package func reloaded() throws -> Engine {
        try encodeImage().withUnsafeBytes { try Engine(image: $0) }
    }
}
