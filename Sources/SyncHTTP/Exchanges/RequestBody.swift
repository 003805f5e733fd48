import SyncJSON
import SyncServer
import SyncWire

/// The body of a request that is read as a whole, as it comes. It should be JSON.
struct RequestBody {
    /// What it is, for people.
    private let name: String
    private let mostBytes: Int
    private var bytes: [UInt8] = []
    /// What it takes in memory while it is read.
    private var weight = JSONWeight()
    /// The memory of what is being read.
    private var takenBytes = 0

    /// How much memory a body may take while it is read. Ten thousand operations take less, unless
    /// their contents have hundreds of values each.
    static let mostWeight = 64 << 20

    init(of name: String, atMost mostBytes: Int) {
        self.name = name
        self.mostBytes = mostBytes
    }

    var memoryBytes: Int { bytes.capacity + takenBytes }

    /// Adds what has come.
    ///
    /// - Returns: why the request is refused, if the body is too large. Then nothing of it is kept.
    mutating func add(_ more: [UInt8]) -> ErrorMessage? {
        more.withUnsafeBytes { weight.add($0) }
        var error = refusal(ofBytes: bytes.count + more.count)
        if weight.bytes > RequestBody.mostWeight {
            error = ErrorMessage(
                .frameTooLarge, "\(name) has fewer values than this; make several")
        }
        if error == nil { bytes += more } else { bytes = [] }
        return error
    }

    /// Why a body of so many bytes is refused; `nil` if it is not.
    func refusal(ofBytes count: Int) -> ErrorMessage? {
        if count <= mostBytes { return nil }
        return ErrorMessage(.frameTooLarge, "\(name) has at most \(mostBytes) bytes here")
    }

    /// Takes all of it out, to be read.
    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        takenBytes = bytes.count + weight.bytes
        return bytes
    }

    /// It has been read, and takes no memory any more.
    mutating func didRead() {
        takenBytes = 0
    }
}
