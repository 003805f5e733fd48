import SyncBytes
import SyncModel
import SyncWire

/// A conversation with a collsync server, one message after the other, on a blocking socket: for
/// the preparation of measurements.
final class Talk {
    private let socket: Socket
    private let encoder = MessageEncoder()
    private let decoder = MessageDecoder()
    private var frames = FrameDecoder()
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private var rest = UnsafeRawBufferPointer(start: nil, count: 0)
    private var requests: RequestID = 0
    /// The number of received bytes.
    private(set) var receivedBytes = 0

    init(_ socket: Socket) {
        self.socket = socket
    }

    deinit {
        memory.deallocate()
    }

    func send(_ message: ClientMessage) throws {
        try encoder.encode(message).plain.withBytes { try socket.send($0) }
    }

    /// Whether all received bytes were read, so that other code can continue to read from the
    /// socket.
    var hasReadAll: Bool { rest.isEmpty && frames.isAtBoundary }

    /// The server's next message.
    func receive() throws -> ServerMessage {
        while true {
            if let frame = try frames.next(&rest) { return try decoder.serverMessage(frame) }
            rest = try socket.receive(into: memory)
            receivedBytes += rest.count
            if rest.isEmpty { throw BenchError("the server says nothing") }
        }
    }

    /// Sends hello, by default without compression, and waits for the welcome.
    func hello(_ features: Features = [], token: String = "") throws {
        try send(.hello(Hello(features: features, token: token, agent: "collsync-bench")))
        guard case .welcome = try receive() else {
            throw BenchError("the server does not welcome us")
        }
    }

    func join(
        _ room: RoomName, as client: String, from revision: Revision? = nil,
        origin: Origin? = nil, viewOnly: Bool = false
    ) throws -> Joined {
        requests += 1
        try send(
            .join(
                Join(
                    request: requests, room: room, client: try Identifier(client),
                    from: revision, viewOnly: viewOnly, origin: origin)))
        while true {
            switch try receive() {
            case .joined(let joined): return joined
            case .error(let error): throw BenchError("the server refuses a join: \(error.text)")
            default: continue
            }
        }
    }

    /// Waits until everything that was submitted up to a counter is acknowledged.
    ///
    /// - Returns: the revision of the last transaction.
    func waitForAck(of counter: UInt64) throws -> Revision {
        while true {
            switch try receive() {
            case .ack(let ack) where ack.counter == counter: return ack.commit.revision
            case .reject(let reject):
                throw BenchError("the server refuses an edit: \(reject.rejection.message)")
            default: continue
            }
        }
    }

    /// Fills a room with a section `main` of items, by default `i0`, `i1` and so on, each with a
    /// title.
    ///
    /// - Returns: the room's revision and origin.
    func fill(
        _ room: RoomName, items: Int, _ item: (Int) throws -> Item = EngineBenchmark.item
    ) throws -> (revision: Revision, origin: Origin) {
        let joined = try join(room, as: "filler")
        var counter: UInt64 = 0
        var acknowledged: UInt64 = 0
        var revision = joined.revision
        for start in stride(from: 0, to: items, by: Talk.operationsPerTransaction) {
            let end = min(items, start + Talk.operationsPerTransaction)
            let operations = try (start..<end).map {
                ListOperation.insert(
                    try item($0), to: Placement(section: Identifier("main")))
            }
            counter += 1
            try send(
                .submit(
                    try Submit(
                        room: joined.handle, counter: counter,
                        transaction: ListTransaction(base: joined.revision, operations: operations))
                ))
            if counter - acknowledged > Talk.window {
                acknowledged += 1
                revision = try waitForAck(of: acknowledged)
            }
        }
        if counter > acknowledged { revision = try waitForAck(of: counter) }
        return (revision, joined.identity.origin(of: revision))
    }

    private static let operationsPerTransaction = 1000
    private static let window: UInt64 = 16
}
