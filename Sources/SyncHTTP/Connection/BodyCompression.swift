import SyncBytes
import SyncHTTPCodec

/// Compresses the body of a response: on workers, as it takes milliseconds, one piece after the
/// other. While a piece is compressed, what follows waits, and holds back who writes it.
final class BodyCompression {
    private let encoder: GzipEncoder
    private var waiting: [SharedBytes] = []
    private(set) var waitingBytes = 0
    private var bytesUnderWay = 0
    private var isUnderWay = false
    /// Whether the body has no more than what waits.
    var isEnding = false

    /// Shorter bodies hardly get shorter.
    static let leastBytes = 1024

    init?() {
        guard let encoder = GzipEncoder() else { return nil }
        self.encoder = encoder
    }

    /// How many bytes are not compressed yet.
    var untakenBytes: Int { waitingBytes + bytesUnderWay }
    var memoryBytes: Int { GzipEncoder.memoryBytes + untakenBytes }

    func add(_ parts: [SharedBytes]) {
        waiting += parts
        waitingBytes += parts.reduce(0) { $0 + $1.count }
    }

    /// The next piece of work, if there is one and none is under way.
    func next() -> (@Sendable () -> (bytes: [UInt8], isLast: Bool))? {
        guard !isUnderWay, !waiting.isEmpty || isEnding else { return nil }
        let (encoder, parts, isLast) = (encoder, waiting, isEnding)
        isUnderWay = true
        (bytesUnderWay, waiting, waitingBytes) = (waitingBytes, [], 0)
        return { (encoder.encode(parts, isLast: isLast), isLast) }
    }

    func didEncode() {
        isUnderWay = false
        bytesUnderWay = 0
    }

    /// Whether a body with such fields gets much shorter, and is not wanted at once.
    static func isUseful(for fields: HTTPFields) -> Bool {
        guard let type = fields.value(of: "Content-Type") else { return false }
        return ["application/json", "text/csv", "image/svg", "text/plain"]
            .contains { type.hasPrefix($0) }
    }
}
