import SyncServer
import SyncWire

/// The body of a request that is read as a whole, as it comes.
struct RequestBody {
    /// What it is, for people.
    private let name: String
    private let mostBytes: Int
    private(set) var bytes: [UInt8] = []

    init(of name: String, atMost mostBytes: Int) {
        self.name = name
        self.mostBytes = mostBytes
    }

    var memoryBytes: Int { bytes.capacity }

    /// Adds what has come.
    ///
    /// - Returns: why the request is refused, if the body is too long. Then nothing of it is kept.
    mutating func add(_ more: [UInt8]) -> ErrorMessage? {
        guard more.count <= mostBytes - bytes.count else {
            bytes = []
            return ErrorMessage(.frameTooLarge, "\(name) has at most \(mostBytes) bytes here")
        }
        bytes += more
        return nil
    }

    /// Takes all of it out.
    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
