package import SyncEngine

extension Engine: CollectionEngine {
    package func reloaded() throws -> Engine {
        try encodeImage().withUnsafeBytes { try Engine(image: $0) }
    }
}
