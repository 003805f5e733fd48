import Glibc
import SyncBytes
import SyncModel
import SyncWire

/// An attacker's connection. It sends its bytes and never waits for the server.
final class Stranger {
    let socket: Socket
    /// Whether it reads what the server sends.
    var reads = true
    private(set) var isClosed = false
    private(set) var answers = Answers()

    private var outgoing: [UInt8] = []
    private var sent = 0
    private var frames = FrameDecoder()
    private let decoder = MessageDecoder()
    private let encoder = MessageEncoder()
    private var requests: RequestID = 0

    /// The server's answers so far.
    struct Answers {
        var welcomes = 0
        var handles: [RoomHandle] = []
        var acks = 0
        var rejects = 0
        var errors = 0
        var ends = 0
        /// The reason of the last reject or error.
        var reason = ""
    }

    init(_ socket: Socket) {
        self.socket = socket
        socket.stopWaiting()
    }

    /// Whether everything was sent.
    var hasSentAll: Bool { sent == outgoing.count }

    // MARK: Requests

    func send(_ message: ClientMessage) {
        encoder.encode(message).plain.withBytes { send(bytes: $0) }
    }

    func send(bytes: some Sequence<UInt8>) {
        if sent == outgoing.count {
            outgoing.removeAll(keepingCapacity: true)
            sent = 0
        }
        outgoing.append(contentsOf: bytes)
    }

    func hello(token: String) {
        send(.hello(Hello(features: .deflate, token: token, agent: "stranger")))
    }

    func join(
        _ room: RoomName, as client: String, from revision: Revision? = nil,
        of origin: Origin? = nil,
        viewOnly: Bool = false
    ) throws {
        send(
            .join(
                Join(
                    request: nextRequest(), room: room, client: try Identifier(client),
                    from: revision, viewOnly: viewOnly, origin: origin)))
    }

    func submit(_ operations: [ListOperation], base: Revision, counter: UInt64) throws {
        guard let handle = answers.handles.first else { throw BenchError("it is in no room") }
        send(
            .submit(
                try Submit(
                    room: handle, counter: counter,
                    transaction: ListTransaction(base: base, operations: operations))))
    }

    func nextRequest() -> RequestID {
        requests += 1
        return requests
    }

    // MARK: The socket

    /// Sends and receives as much as it can without waiting.
    func turn(_ memory: UnsafeMutableRawBufferPointer) throws {
        if isClosed { return }
        do {
            try sendSome()
            if reads { try receiveSome(memory) }
        } catch let error as WireError {
            throw BenchError("the server says what can't be read: \(error)")
        } catch {
            isClosed = true
        }
    }

    private func sendSome() throws {
        while sent < outgoing.count {
            let count = try outgoing.withUnsafeBytes {
                try socket.sendSome(UnsafeRawBufferPointer(rebasing: $0[sent...]))
            }
            if count == 0 { return }
            sent += count
        }
    }

    private func receiveSome(_ memory: UnsafeMutableRawBufferPointer) throws {
        // Only a few reads, so that others get a turn.
        for _ in 0..<8 {
            var rest = try socket.receive(into: memory)
            if rest.isEmpty { return }
            while let frame = try frames.next(&rest) { try take(frame) }
        }
    }

    private func take(_ frame: UnsafeRawBufferPointer) throws {
        switch try decoder.serverMessage(frame) {
        case .welcome: answers.welcomes += 1
        case .joined(let joined): answers.handles.append(joined.handle)
        case .ack: answers.acks += 1
        case .reject(let reject):
            answers.rejects += 1
            answers.reason = reject.rejection.message
        case .error(let error):
            answers.errors += 1
            answers.reason = error.text
        case .done, .roomList, .stats: answers.ends += 1
        default: break
        }
    }
}

/// Attackers that share one thread.
final class Gang {
    private(set) var strangers: [Stranger] = []
    private(set) var webStrangers: [WebStranger] = []
    private let entrance: Entrance
    private let webEntrance: Entrance
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

    /// - Parameter webEntrance: where the server speaks HTTP.
    init(_ entrance: Entrance, _ webEntrance: Entrance) {
        self.entrance = entrance
        self.webEntrance = webEntrance
    }

    deinit {
        memory.deallocate()
    }

    /// How many attackers are closed.
    var closed: Int { strangers.count { $0.isClosed } + webStrangers.count { $0.isClosed } }

    /// Connects some attackers that speak HTTP.
    ///
    /// - Parameter tokens: what they show by turns; `nil` for those of the door.
    func visit(count: Int, tokens: [String]? = nil) throws -> [WebStranger] {
        try (0..<count).map { number in
            let stranger = WebStranger(
                try webEntrance.socket(from: 2),
                token: tokens.map { $0[number % $0.count] }
                    ?? webEntrance.door.token(of: webStrangers.count))
            webStrangers.append(stranger)
            return stranger
        }
    }

    /// Connects another attacker, which sends hello. From the host 1 it is somebody who means well.
    func add(from host: UInt8 = 2) throws -> Stranger {
        let stranger = Stranger(try entrance.socket(from: host))
        let door = entrance.door
        stranger.hello(token: host == 1 ? door.honestToken : door.token(of: strangers.count))
        strangers.append(stranger)
        return stranger
    }

    /// Connects another attacker, which says hello with a token.
    func add(token: String) throws {
        let stranger = Stranger(try entrance.socket(from: 2))
        stranger.hello(token: token)
        strangers.append(stranger)
    }

    /// Connects another attacker, which sends these bytes, with a hello before or without one.
    func knock(_ bytes: [UInt8], afterHello: Bool) throws {
        let stranger = afterHello ? try add() : Stranger(try entrance.socket(from: 2))
        if !afterHello { strangers.append(stranger) }
        stranger.send(bytes: bytes)
    }

    /// Connects some attackers, which join a room.
    func enter(_ room: RoomName, count: Int, viewOnly: Bool = false) throws -> [Stranger] {
        let start = strangers.count
        let new = try (0..<count).map { number in
            let stranger = try add()
            try stranger.join(room, as: "stranger-\(start + number)", viewOnly: viewOnly)
            return stranger
        }
        try wait(for: "\(count) joins") { new.allSatisfy { !$0.answers.handles.isEmpty } }
        return new
    }

    /// Runs the attackers until the condition is true.
    ///
    /// - Throws: if it is still false after a minute.
    func wait(for what: String, _ condition: () -> Bool) throws {
        guard try run(seconds: Gang.patienceSeconds, until: condition) else {
            let reason = strangers.last { !$0.answers.reason.isEmpty }?.answers.reason ?? ""
            throw BenchError("\(what) did not come to an end. \(reason)")
        }
    }

    /// Runs the attackers until the condition is true, or for `seconds`.
    ///
    /// - Returns: whether it is true.
    @discardableResult
    func run(seconds: Double, until condition: () -> Bool = { false }) throws -> Bool {
        let watch = Stopwatch()
        while watch.seconds < seconds {
            for stranger in strangers { try stranger.turn(memory) }
            for stranger in webStrangers { stranger.turn(memory) }
            if condition() { return true }
            usleep(Gang.pauseMicroseconds)
        }
        return false
    }

    private static let patienceSeconds = 150.0
    private static let pauseMicroseconds: useconds_t = 500
}
