import HTTPSupport
import SeededRandom
import SyncBytes
import SyncIO
import SyncJSON
import SyncModel
import SyncSim
import SyncWire

@testable import SyncHTTP

/// A machine with a program that speaks HTTP. It reads the room, posts transactions, each with an
/// `Idempotency-Key`, and asks again until it knows what became of them. Meanwhile another
/// connection follows the room's events (``EventFollower``).
///
/// It does not know whether a transaction without an answer was committed. That it is in the log
/// once, and as it was answered, the ``Judge`` checks.
final class WebMachine {
    let host: String
    private let room: RoomName
    private let index: Int
    private let simulation: Simulation
    private let evidence: Evidence
    private var random: SplitMix64
    private var requester: WebRequester?
    private(set) var follower: EventFollower?
    private var loop: (any EventLoop)?
    /// Whether it has stopped writing.
    var isQuiet = false
    /// The transaction that is not answered.
    private var post: Post?
    private var posts = 0
    /// The revision that it has read last, and its origin; `nil` if it has to read again.
    private var base: Revision?
    private var origin: Origin?
    private var items: [String] = []

    private struct Post {
        var name: Evidence.Name
        var key: String
        var body: String
        var isSentAgain = false
    }

    private static let mostRestMilliseconds = 20
    private static let retryMilliseconds: UInt64 = 40

    init(_ index: Int, _ scenario: Scenario, _ simulation: Simulation, _ evidence: Evidence) {
        (self.index, self.simulation, self.evidence) = (index, simulation, evidence)
        host = "program \(index)"
        room = scenario.roomNames[index % scenario.roomNames.count]
        random = SplitMix64(seed: scenario.seed &* 0x94D0_49BB &+ UInt64(index + 23))
    }

    func start() throws {
        let platform = simulation.makePlatform(named: host)
        nonisolated(unsafe) let machine = self
        try platform.startLoop(named: host) { loop in
            machine.loop = loop
            machine.requester = WebRequester(on: loop)
            machine.follower = EventFollower(
                of: machine.room, on: loop, machine.evidence, machine.host)
            machine.follower?.follow()
            machine.rest()
        }
    }

    private func rest(milliseconds: UInt64? = nil) {
        let pause = milliseconds ?? UInt64(1 + random.below(WebMachine.mostRestMilliseconds))
        loop?.schedule(afterMilliseconds: pause) { [weak self] in self?.act() }
    }

    private func act() {
        if post != nil { return sendAgain() }
        if isQuiet { return rest(milliseconds: WebMachine.retryMilliseconds) }
        if base == nil || random.chance(30) { return readRoom() }
        write()
    }

    /// Whether all is answered, and the follower has what is on disk.
    func isSettled(_ disk: SimulatedDisk) -> Bool {
        post == nil && follower?.revision == disk.durable[room].revision
    }

    var state: String {
        "\(post.map { "\($0.name) is unanswered" } ?? "all is answered"),"
            + " events up to \(follower?.revision.map { "\($0)" } ?? "nothing")"
    }

    // MARK: Reading

    private func readRoom() {
        requester?.ask("GET", "/v1/rooms/\(room.pathSegment)") { [weak self] answer in
            guard let self else { return }
            if let answer { didRead(answer) }
            rest()
        }
    }

    private func didRead(_ answer: WebRequester.Answer) {
        if answer.status == 404 { (base, origin) = (0, nil) }
        guard answer.status == 200 else { return }
        let tag = answer.fields["ETag"].flatMap {
            RevisionTag(ForeignText(bounded: String($0.dropFirst().dropLast())))
        }
        guard let tag, case .snapshot(_, let snapshot)? = answer.line,
            snapshot.revision == tag.revision
        else { return evidence.accuse(.brokenProtocol, "\(host) gets no snapshot of \(room)") }
        evidence.didHold(snapshot, tag.origin, in: room, host)
        (base, origin) = (tag.revision, tag.origin)
    }

    // MARK: Writing

    private func write() {
        posts += 1
        let key = "key-\(index)-\(posts)"
        var members = #""ops":[\#(operation())]"#
        let base = base ?? 0
        let origin = base > 0 ? origin : nil
        members += #","base":\#(base)"#
        if let origin { members += #","id":"\#(origin.room)","epoch":"\#(origin.epoch)""# }
        let body = "{\(members)}"
        let command = try? Array(body.utf8).withUnsafeBytes { try JoinCommand(line: $0) }
        guard case .transaction(let operations, _, _, _, _)? = command else {
            return evidence.accuse(.brokenProtocol, "\(body) can't be read")
        }
        let author = IdempotencyKey(ForeignText(bounded: key), bodyHash: [], of: "").client
        let name = Evidence.Name(room: room, client: author, counter: 1)
        evidence.didSubmit(
            name, ListTransaction(base: base, operations: operations), holding: base, of: origin,
            changeCount: 0)
        post = Post(name: name, key: key, body: body)
        send()
    }

    private func operation() -> String {
        if let item = random.pick(items), random.chance(60) {
            if random.chance(30) { return #"{"delete":{"id":"\#(item)"}}"# }
            return #"{"update":{"id":"\#(item)","set":{"title":"\#(posts)"}}}"#
        }
        let id = "web-\(index)-\(posts)"
        items.append(id)
        return #"{"insert":{"item":{"id":"\#(id)"},"to":{"section":"main"}}}"#
    }

    private func sendAgain() {
        if post?.isSentAgain == false { evidence.didSuffer(.requestRepeated) }
        post?.isSentAgain = true
        send()
    }

    private func send() {
        guard let post else { return }
        requester?.ask(
            "POST", "/v1/rooms/\(room.pathSegment)/transactions", [("Idempotency-Key", post.key)],
            body: post.body
        ) { [weak self] answer in
            guard let self else { return }
            if let answer { didAnswer(post, answer) }
            rest(milliseconds: self.post == nil ? nil : WebMachine.retryMilliseconds)
        }
    }

    private func didAnswer(_ post: Post, _ answer: WebRequester.Answer) {
        switch (answer.status, answer.line) {
        case (200, .ack(_, let commit)):
            evidence.didAnswer(post.name, .committed(commit))
            self.post = nil
        case (422, .reject(_, let rejection)):
            evidence.didAnswer(post.name, .rejected(rejection))
            // Its base may be of a room that is gone.
            base = nil
            self.post = nil
        case (500...599, _),
            (400...499, _) where answer.status != 422:
            evidence.note("\(host): \(post.name) is answered by \(answer.status)")
        default:
            let text = String(decoding: answer.body, as: UTF8.self)
            evidence.accuse(.brokenProtocol, "\(post.name) is answered by \(text)")
        }
    }
}

extension WebRequester.Answer {
    /// Its body as a line.
    fileprivate var line: ServerLine? {
        try? body.withUnsafeBytes { try ServerLine(line: $0) }
    }
}
