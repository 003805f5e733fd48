import EngineTwin
import SyncEngine

typealias TestedEngine = Engine

extension Engine: CollectionEngine {
    func reloaded() throws -> Engine {
        try encodeImage().withUnsafeBytes { try Engine(image: $0) }
    }
}
