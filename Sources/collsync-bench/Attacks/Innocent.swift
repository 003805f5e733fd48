import Foundation
import SyncModel
import SyncWire
import Synchronization

/// A well-behaved client in a room of its own during an attack. It sends requests and edits by
/// turns, on a thread of its own, and measures how long each answer takes. Some other members are
/// connected and idle.
///
/// The attackers use the same core at a lower priority, so it measures the time of the server. It
/// records its own wait for the core separately.
final class Innocent: Sendable {
    /// How long an answer took.
    struct Wait: Sendable {
        var seconds = 0.0
        /// The part of it for which this thread was ready to run and had no core.
        var coreSeconds = 0.0

        /// Keeps the longer of both.
        mutating func take(_ other: Wait) {
            if other.seconds > seconds { self = other }
        }
    }

    struct Waits: Sendable {
        var longestPing = Wait()
        var longestEdit = Wait()
        var answers = 0
        /// The greatest sum of the server's accounts, in bytes.
        var accountedBytes = 0
        /// The limit of that sum; 0 if there is none.
        var limitBytes = 0
        /// Why it gave up.
        var failure: String?

        var longest: Double { max(longestPing.seconds, longestEdit.seconds) }
    }

    private let waits = Mutex(Waits())
    private let isEnding = Atomic<Bool>(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// Long enough to measure a hang of some minutes instead of giving up.
    static let patienceSeconds = 300
    private static let pauseMicroseconds: useconds_t = 1000
    static let bystanders = 10

    /// Starts in the given room.
    init(_ room: RoomName, _ entrance: Entrance) throws {
        let conversation = try Conversation(room, entrance)
        let thread = Thread { [self] in
            conversation.run(while: { !self.isEnding.load(ordering: .relaxed) }, self.note)
            self.hasEnded.signal()
        }
        thread.start()
    }

    /// Discards the measurements so far.
    func forget() {
        waits.withLock { $0 = Waits() }
    }

    /// Whether it gave up.
    var hasFailed: Bool { waits.withLock { $0.failure != nil } }

    /// The number of answers since ``forget()``.
    var answers: Int { waits.withLock { $0.answers } }

    /// Ends the client.
    ///
    /// - Returns: the measurements, and whether idle members lost their connections.
    func end() -> Waits {
        isEnding.store(true, ordering: .relaxed)
        hasEnded.wait()
        return waits.withLock { $0 }
    }

    private func note(_ change: (inout Waits) -> Void) {
        waits.withLock { change(&$0) }
    }

    /// Its requests and the answers; used on its thread only.
    private final class Conversation: @unchecked Sendable {
        private let talk: Talk
        private let room: RoomName
        private let joined: Joined
        private let bystanders: [Talk]
        private lazy var clock = CoreWaitClock()
        private var counter: UInt64 = 0
        private var request: RequestID = 1000

        init(_ room: RoomName, _ entrance: Entrance) throws {
            self.room = room
            talk = try entrance.talk(patienceSeconds: Innocent.patienceSeconds)
            joined = try talk.join(room, as: "innocent")
            bystanders = try (0..<Innocent.bystanders).map { number in
                let talk = try entrance.talk(patienceSeconds: Innocent.patienceSeconds)
                // They read nothing, so they are sent nothing of the room.
                _ = try talk.join(room, as: "bystander-\(number)", viewOnly: true)
                return talk
            }
        }

        func run(while goesOn: () -> Bool, _ note: ((inout Waits) -> Void) -> Void) {
            do {
                let beats = Stopwatch()
                var beaten = 0.0
                while goesOn() {
                    var (accounted, limit) = (0, 0)
                    let ping = try wait { (accounted, limit) = try self.ping() }
                    let edit = try wait { try self.edit() }
                    note { [accounted, limit] in
                        $0.longestPing.take(ping)
                        $0.longestEdit.take(edit)
                        $0.answers += 1
                        $0.accountedBytes = max($0.accountedBytes, accounted)
                        $0.limitBytes = limit
                    }
                    if beats.seconds > beaten + 0.5 {
                        beaten = beats.seconds
                        for bystander in bystanders { try bystander.send(.heartbeat(Heartbeat())) }
                    }
                    usleep(Innocent.pauseMicroseconds)
                }
                for (number, bystander) in bystanders.enumerated() {
                    try Conversation.askForFigures(of: room, UInt32(number), bystander)
                }
            } catch {
                note { $0.failure = "\(error)" }
            }
        }

        private func wait(for answer: () throws -> Void) rethrows -> Wait {
            let before = clock.seconds
            let watch = Stopwatch()
            try answer()
            return Wait(seconds: watch.seconds, coreSeconds: clock.seconds - before)
        }

        private func ping() throws -> (accountedBytes: Int, limitBytes: Int) {
            request += 1
            return try Conversation.askForFigures(of: room, request, talk)
        }

        /// - Returns: the sum of the server's accounts, and its limit.
        @discardableResult
        private static func askForFigures(
            of room: RoomName, _ request: RequestID, _ talk: Talk
        ) throws -> (accountedBytes: Int, limitBytes: Int) {
            try talk.send(.readStats(RoomRequest(request: request, room: room)))
            while true {
                switch try talk.receive() {
                case .stats(let stats):
                    let kinds: [ServerFigure] = [
                        .connectionBytes, .queueBytes, .roomBytes, .viewBytes, .presenceBytes,
                        .storeBytes, .readBytes,
                    ]
                    let accounted = kinds.reduce(0) { $0 + (stats.server[$1] ?? 0) }
                    return (
                        Int(clamping: accounted), Int(clamping: stats.server[.memoryLimit] ?? 0)
                    )
                case .error(let error): throw BenchError("the server says: \(error.text)")
                default: continue
                }
            }
        }

        private func edit() throws {
            counter += 1
            let field = Field(name: Identifier("title"), value: .text("edit \(counter)"))
            let section = Identifier("main")
            try talk.send(
                .submit(
                    try Submit(
                        room: joined.handle, counter: counter,
                        transaction: ListTransaction(
                            base: joined.revision,
                            operations: [
                                .updateSection(section, SectionPatch(set: [field]))
                            ]))))
            _ = try talk.waitForAck(of: counter)
        }
    }
}

/// Measures how long a thread was ready to run and had no core.
private final class CoreWaitClock {
    private let descriptor: Int32

    /// Measures the calling thread.
    init() {
        descriptor = open("/proc/thread-self/schedstat", O_RDONLY)
    }

    deinit {
        close(descriptor)
    }

    var seconds: Double {
        // The fields: nanoseconds on a core, nanoseconds of waiting for one, and the number of
        // runs.
        var text = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &text, text.count, 0)
        let fields = text.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
        guard fields.count > 1 else { return 0 }
        return (Double(String(decoding: fields[1], as: UTF8.self)) ?? 0) / 1e9
    }
}
