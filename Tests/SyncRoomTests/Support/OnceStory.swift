import ModelSupport
import RoomSupport
import SeededRandom
import SyncBytes
import SyncEngine
import SyncModel
import SyncWire
import Testing

@testable import SyncRoom

/// Clients that write in a room while its server is killed and its store fails. They come back and
/// send again all that has no answer.
///
/// Each transaction adds 1 to a field of its own. So the room itself shows how often a transaction
/// was applied, and the model needs only these rules:
///
/// - A transaction that was reported as committed is applied once.
/// - A transaction that was reported as refused is not applied.
/// - A transaction that was reported as forgotten is applied at most once, and it is reported so
///   only if the twin agrees.
final class OnceStory {
    struct Ask {
        var counter: UInt64
        var transaction: PackedTransaction
    }

    final class Client {
        let number: Int
        var member: ConnectionID?
        var lastCounter: UInt64 = 0
        var unanswered: [Ask] = []
        /// Whether it must send its unanswered transactions again.
        var waits = false
        var told: [UInt64: Outcome] = [:]
        /// Up to this counter answers were announced without a resend. Transactions that are sent
        /// again nevertheless are answered twice.
        var comingThrough: UInt64 = 0
        /// The last counter that it had sent before the room knew it.
        var sentBefore: UInt64 = 0
        /// The twin's verdicts on resent transactions.
        var verdicts: [UInt64: AuthorTwin.Verdict] = [:]

        init(_ number: Int) { self.number = number }

        var name: Identifier { id("client-\(number)") }
    }

    private(set) var room: Room
    var random: SplitMix64
    let policy: RoomPolicy
    private(set) var clients: [Client]
    /// The records in the log, and an image of the room after one of them.
    private(set) var log: [LogRecord] = []
    private var image: (sequence: UInt64, body: SharedBytes)?
    /// Records in flight to the log.
    private var onTheWay: [LogRecord] = []
    private var twin: AuthorTwin?
    private var connectionCount: UInt64 = 0
    private var openingCount: UInt64 = 1
    /// Other violations of the rules.
    private(set) var findings: [String] = []
    private(set) var forgottenAnswerCount = 0
    private(set) var earlyAnswerCount = 0
    private(set) var refusedAnswerCount = 0
    private(set) var evictionCount = 0

    init(
        seed: UInt64, clients count: Int, policy: RoomPolicy
    ) throws {
        random = SplitMix64(seed: seed)
        self.policy = policy
        room = Room(RoomState(), opening: .test(1), handle: 1, policy: policy)
        clients = (0..<count).map(Client.init)
        connectionCount = 1
        // One member inserts the item that all clients write to.
        let member = ConnectionID(value: 0)
        _ = try room.settled.join(Admission(member: member, client: id("maker"), secret: [0]))
        _ = room.receive(
            try PackedTransaction(ListTransaction(base: 0, operations: [.insert("n")])), counter: 1,
            from: member)
        endTick()
        while !onTheWay.isEmpty { append() }
        room.leave(member)
    }

    private func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    // MARK: Clients

    static func field(_ client: Int, _ counter: UInt64) -> Identifier { id("\(client).\(counter)") }

    func write(_ client: Client) throws {
        client.lastCounter += below(8) == 0 ? 3 : 1
        let counter = client.lastCounter
        let field = OnceStory.field(client.number, counter)
        var operations = [ListOperation.increment(id("n"), field: field, by: 1)]
        switch below(5) {
        case 0: operations.append(.delete(id("nothing")))
        case 1: operations.append(.insert("i\(below(6))"))
        case 2: operations.append(.delete(id("i\(below(6))")))
        default: break
        }
        let transaction = ListTransaction(
            base: room.durableRevision, operations: operations)
        let ask = Ask(counter: counter, transaction: try PackedTransaction(transaction))
        client.unanswered.append(ask)
        if let member = client.member, !client.waits { send(ask, from: member) }
    }

    private func send(_ ask: Ask, from member: ConnectionID) {
        _ = room.receive(ask.transaction, counter: ask.counter, from: member)
        if below(3) == 0 { room.applyQueued() }
    }

    /// Joins on a new connection, or again on the one that it left, and sends again what is
    /// unanswered.
    func join(_ client: Client) throws {
        let isReplaced = client.member.map { room.member($0) != nil } ?? false
        if let member = client.member, below(2) == 0 || !isReplaced {
            room.leave(member)
            client.sentBefore = client.lastCounter
        } else if client.member == nil {
            client.sentBefore = client.lastCounter
        }
        listen()
        connectionCount += 1
        let member = ConnectionID(value: connectionCount)
        let answeredThrough = client.unanswered.first.map { $0.counter - 1 } ?? client.lastCounter
        let admittance = try room.settled.join(
            Admission(
                member: member, connection: connectionCount, client: client.name,
                secret: [UInt8(truncatingIfNeeded: client.number), 7],
                counter: client.lastCounter,
                answeredThrough: below(2) == 0 ? answeredThrough : nil))
        client.member = member
        try take(admittance.answers, client)
        try sendAgain(client)
    }

    /// Applies the answers that come with the join. Of the rest the room must know exactly the
    /// pending ones.
    private func take(_ early: EarlyAnswers, _ client: Client) throws {
        client.verdicts = [:]
        if early.pending > 0 { client.comingThrough = client.lastCounter }
        // An answer may follow a transaction that has none.
        for result in early.results where client.told[result.counter] != result.outcome {
            take(result.outcome, to: result.counter, client)
        }
        earlyAnswerCount += early.results.count
        if early.through == 0 { return }
        endTick()
        let twin = try readTwin()
        let unknown = client.unanswered.filter { ask in
            let transaction = AuthorTwin.Transaction(client: client.name, counter: ask.counter)
            return ask.counter <= early.through && twin.commits[transaction] != nil
        }
        if unknown.count != early.pending {
            findings.append("\(client.name) is not told of \(unknown.map(\.counter))")
        }
    }

    func leave(_ client: Client) {
        if let member = client.member { room.leave(member) }
        client.member = nil
    }

    private func sendAgain(_ client: Client) throws {
        client.waits = false
        guard let member = client.member else { return }
        let isJudged = below(2) == 0
        for ask in client.unanswered {
            if isJudged {
                try judge(ask, of: client, from: member)
            } else {
                client.verdicts[ask.counter] = nil
                send(ask, from: member)
            }
        }
    }

    /// Sends a transaction when all earlier ones are in the log or on their way to it, so that the
    /// twin knows them.
    private func judge(_ ask: Ask, of client: Client, from member: ConnectionID) throws {
        endTick()
        let before = try readTwin()
        let transaction = AuthorTwin.Transaction(client: client.name, counter: ask.counter)
        let verdict = before.verdict(
            on: transaction, base: ask.transaction.base, sent: client.sentBefore)
        client.verdicts[ask.counter] = verdict
        evictionCount = max(evictionCount, before.evictionCount)
        if verdict == .new, before.commits[transaction] != nil {
            findings.append("by the rule \(client.name) \(ask.counter) is applied twice")
        }
        send(ask, from: member)
        endTick()
        let after = try readTwin()
        if after.commits[transaction] != before.commits[transaction], verdict != .new {
            findings.append("\(client.name) \(ask.counter) is applied, and is \(verdict)")
        }
    }

    /// Has the twin read the records that it has not read yet.
    private func readTwin() throws -> AuthorTwin {
        var twin = twin ?? AuthorTwin()
        for record in log + onTheWay where record.sequence > twin.sequence {
            try twin.read(record)
        }
        self.twin = twin
        return twin
    }

    /// Compares the answer to a resent transaction with the twin's verdict.
    private func check(_ outcome: Outcome, of counter: UInt64, for client: Client) {
        guard let verdict = client.verdicts[counter] else { return }
        var isForgotten = false
        var isCommitted = false
        switch outcome {
        case .committed: isCommitted = true
        case .rejected(let rejection): isForgotten = rejection.code == .forgotten
        }
        // A recent refusal is remembered, whoever the author is.
        if isForgotten != (verdict == .forgotten), isForgotten || isCommitted {
            findings.append("\(client.name) \(counter) is \(verdict), and was told \(outcome)")
        }
    }

    func listen() {
        room.takeAbsorbed { _ in }
        for answer in room.takeAnswers() {
            guard let client = clients.first(where: { $0.member == answer.member }),
                answer.member != nil
            else { continue }
            if case .rejected(let rejection) = answer.outcome {
                if rejection.code == .unavailable {
                    client.waits = true
                    continue
                }
                forgottenAnswerCount += rejection.code == .forgotten ? 1 : 0
                refusedAnswerCount += rejection.code == .refused ? 1 : 0
            }
            check(answer.outcome, of: answer.counter, for: client)
            take(answer.outcome, to: answer.counter, client)
        }
    }

    private func take(_ outcome: Outcome, to counter: UInt64, _ client: Client) {
        if let before = client.told[counter],
            before != outcome || counter > client.comingThrough
        {
            findings.append("\(client.name) was told \(before), then \(outcome)")
        }
        client.told[counter] = outcome
        client.unanswered.removeAll { $0.counter == counter }
    }

    // MARK: The server

    func endTick() {
        guard let record = room.endTurn(wallClockMilliseconds: 0) else { return }
        onTheWay.append(record)
        if below(4) == 0 { image = image ?? (record.sequence, room.state.encodeImage()) }
    }

    func append() {
        guard !onTheWay.isEmpty else { return }
        let record = onTheWay.removeFirst()
        log.append(record)
        room.appended(through: record.sequence)
    }

    /// Reads the room from disk: from the whole log, or from an image and the records after it.
    private func read() throws -> RoomState {
        guard let image, image.sequence <= log.count, below(2) == 0 else {
            let state = RoomState()
            for record in log { try state.apply(record) }
            return state
        }
        let state = try image.body.withBytes { try RoomState(image: $0) }
        for record in log[Int(image.sequence)...] { try state.apply(record) }
        return state
    }

    private func lose() {
        onTheWay = []
        twin = nil
        if let taken = image, taken.sequence > log.count { image = nil }
    }

    private func nextOpening() -> RoomOpening {
        openingCount += 1
        let other = RoomOpening.test(openingCount)
        return RoomOpening(room: room.identity.id, epoch: other.epoch)
    }

    /// Kills the server and starts it again; all clients come back.
    func crash() throws {
        lose()
        if below(2) == 0, image?.sequence ?? 0 <= log.count { image = nil }
        room = Room(try read(), opening: nextOpening(), handle: 1, policy: policy)
        let connected = clients.filter { $0.member != nil }
        for client in connected { client.member = nil }
        for client in connected.shuffled(using: &random) { try join(client) }
    }

    /// The store fails and recovers.
    func fail() throws {
        lose()
        room.suspend()
        listen()
        for id in room.resume(try read(), opening: nextOpening()) {
            findings.append("\(id) was put out")
        }
        for client in clients where client.waits { try sendAgain(client) }
    }

    // MARK: Steps

    func takeStep(crashes: Bool = true) throws {
        guard let client = clients.randomElement(using: &random) else { return }
        switch below(40) {
        case 0, 1: try join(client)
        case 2, 3: leave(client)
        case 4: if crashes { try crash() }
        case 5: try fail()
        case 6...11: endTick()
        case 12...18: append()
        case 19...22: listen()
        case 23: for client in clients where client.waits { try sendAgain(client) }
        default:
            if client.member == nil { try join(client) }
            try write(client)
        }
    }

    /// Every client gets all its answers.
    func finish() throws {
        for client in clients { try join(client) }
        var rounds = 0
        while clients.contains(where: { !$0.unanswered.isEmpty }), rounds < 20 {
            rounds += 1
            endTick()
            while !onTheWay.isEmpty { append() }
            listen()
            for client in clients where client.waits { try sendAgain(client) }
        }
        for client in clients where !client.unanswered.isEmpty {
            findings.append("\(client.name) has no answer to \(client.unanswered.map(\.counter))")
        }
        // Refusals may remain that no record follows.
        endTick()
        while !onTheWay.isEmpty { append() }
    }

    /// Compares the answers with the content of the room.
    func judge() throws {
        var counts: [Identifier: Double] = [:]
        let items = room.state.engine.snapshot().sections.flatMap(\.items)
        for field in items.first(where: { $0.id == id("n") })?.content.fields ?? [] {
            guard case .number(let count) = field.value else { continue }
            counts[field.name] = count
            if count != 1 { findings.append("\(field.name) was applied \(count) times") }
        }
        for client in clients {
            for (counter, outcome) in client.told {
                let isThere = counts[OnceStory.field(client.number, counter)] != nil
                switch outcome {
                case .committed where !isThere:
                    findings.append("\(client.name) \(counter) was committed and is lost")
                case .rejected(let rejection) where isThere && rejection.code != .forgotten:
                    findings.append(
                        "\(client.name) \(counter) was refused by \(rejection), and is there")
                default: break
                }
            }
        }
        let state = RoomState()
        for record in log { try state.apply(record) }
        if state.encodeImage() != room.state.encodeImage() {
            findings.append("the log makes another room")
        }
        room.state.engine.checkInvariants()
    }
}
