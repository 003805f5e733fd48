package import SyncEngine
package import SyncModel

extension Engine: CollectionEngine {
    package func readAhead(_ transaction: ListTransaction) {
        guard let packed = try? PackedTransaction(transaction) else { return }
        expect(packed)
    }

    package func reloaded() throws -> Engine {
        try encodeImage().withUnsafeBytes { try Engine(image: $0) }
    }
}
