import EngineTwin
import LayoutTwin
import ModelSupport
import SeededRandom
import SyncClient
import SyncIO
import SyncModel
import SyncSim
import SyncWire

/// A machine with the shipping client, and a user that writes and views, or only views.
///
/// Between a death and the next start, a client either keeps its identity and its unanswered
/// transactions, or forgets them and comes back as another client.
final class ClientMachine {
    let index: Int
    let host: String
    let scenario: Scenario
    let simulation: Simulation
    let evidence: Evidence
    var random: SplitMix64
    var history: HistoryGenerator
    var numbers: RandomNumbers
    /// Whether it has nothing of rooms except what its views show.
    let isViewer: Bool
    /// Whether the user has stopped writing.
    var isQuiet = false
    /// Whether the user, after writing has stopped, drags an item in each room.
    var isCarrying = false

    private let security: (any ClientSecurity)?
    /// Where its user gets tokens, if the server asks for them.
    private let tokens: UserTokens?
    /// Whether the user's roles change, so that requests are refused for them.
    var hasTokens: Bool { tokens != nil }
    private(set) var identity: ClientIdentity
    private(set) var session: ClientSession?
    private(set) var loop: (any EventLoop)?
    private(set) var rooms: [RoomPart] = []
    private var platform: SimulatedPlatform?
    private var lives = 0
    private var isReadingStopped = false

    init(
        _ index: Int, _ scenario: Scenario, _ simulation: Simulation, _ evidence: Evidence,
        _ security: SimulatedSecurity?, _ office: TokenOffice?
    ) throws {
        tokens = office.map {
            UserTokens(
                ClientMachine.user(index), from: $0, seed: scenario.seed &+ UInt64(index) << 20)
        }
        self.index = index
        self.scenario = scenario
        self.simulation = simulation
        self.evidence = evidence
        host = "client \(index)"
        let isWebSocket = scenario.usesWebSockets && index % 2 == 0
        self.security = isWebSocket ? WebDoor(evidence) : try security?.makeClient(named: host)
        var random = SplitMix64(seed: scenario.seed &+ UInt64(index + 1) &* 0x1_0000_0001)
        // The seed decides who writes what, whatever goes wrong; ids are shared by all clients.
        history = HistoryGenerator(seed: random.next())
        identity = ClientIdentity { random.next() }
        numbers = RandomNumbers(seed: random.next(), hostile: false)
        isViewer = scenario.isViewer(index)
        self.random = random
        rooms = scenario.roomNames.map { RoomPart($0, of: self) }
    }

    /// The user of a client. Some users differ from each other by their spelling only.
    static func user(_ index: Int) -> Identifier { Spellings.name("user ", index) }

    // MARK: Life and death

    /// Starts the client's process.
    func start() throws {
        lives += 1
        isReadingStopped = false
        let platform = simulation.makePlatform(named: host)
        self.platform = platform
        nonisolated(unsafe) let machine = self
        try platform.startLoop(named: host) { loop in
            machine.loop = loop
            machine.connect()
            machine.rest()
        }
    }

    /// Makes a session, as a program does after its start or for a retry.
    private func connect() {
        guard let loop else { return }
        var options = SessionOptions(address: ServerMachine.address, agent: "simulator")
        options.security = security
        options.token = tokens
        options.renewalBackOff = BackOff(initialMilliseconds: 50, maximumMilliseconds: 300)
        options.handshakeMilliseconds = 700
        options.backOff = BackOff(initialMilliseconds: 10, maximumMilliseconds: 300)
        options.refusedRetryMilliseconds = 40
        let session = ClientSession(options: options, identity: identity, loop: loop)
        self.session = session
        session.start { [weak self, weak session] result in
            guard case .failure(let error) = result, let self, self.session === session else {
                return
            }
            if !error.retry, !self.hasExpired(error) {
                self.evidence.accuse(.brokenProtocol, "\(self.host): \(error)")
            }
            self.session = nil
            loop.schedule(afterMilliseconds: 60) { self.connect() }
        }
        for room in rooms { room.join(session) }
    }

    /// The session has ended, as its token was taken back. The user signs in again.
    func didLoseAccess() {
        guard session != nil else { return }
        session = nil
        loop?.schedule(afterMilliseconds: 60) { [weak self] in self?.connect() }
    }

    /// Whether the user's role does not allow something, or not the making of a room.
    func isDenied(_ error: ClientError) -> Bool {
        switch error {
        case .server(.notAllowed, _, _, _), .server(.roomNotFound, _, _, _),
            .server(.tokenExpired, _, _, _), .server(.tokenRevoked, _, _, _):
            hasTokens
        default: false
        }
    }

    /// Whether a token has expired on the way, or was taken back.
    private func hasExpired(_ error: ClientError) -> Bool {
        switch error {
        case .server(.tokenExpired, _, _, _), .server(.tokenRevoked, _, _, _): hasTokens
        default: false
        }
    }

    func doom(
        _ death: Fault.Death, afterActs count: Int, keepsState: Bool, downMilliseconds: UInt64
    ) {
        platform?.doom(afterActs: count) { [self] in
            evidence.didSuffer(death == .killed ? .clientKilled : .clientPowerless)
            die(death, keepsState: keepsState)
            simulation.after(milliseconds: downMilliseconds) { [self] in comeBack() }
        }
    }

    /// Cancels a death that has not happened yet.
    func pardon() {
        platform?.pardon()
    }

    private func die(_ death: Fault.Death, keepsState: Bool) {
        evidence.note("\(host) is \(death.rawValue)\(keepsState ? "" : ", and forgets")")
        if death == .powerless {
            for connection in simulation.network.connections where connection.isOf(host) {
                connection.cut(heardBy: [])
            }
        }
        platform?.kill()
        platform = nil
        loop = nil
        session = nil
        for room in rooms { room.didDie(keepsState: keepsState) }
        if !keepsState { identity = ClientIdentity { random.next() } }
    }

    /// Dies, and does not come back.
    func leave() {
        die(.killed, keepsState: false)
    }

    private func comeBack() {
        do {
            if platform == nil { try start() }
        } catch {
            evidence.accuse(.unsettled, "\(host) can't be started: \(error)")
        }
    }

    // MARK: Reading

    func stopReading(milliseconds: UInt64) {
        guard let session, !isReadingStopped else { return }
        isReadingStopped = true
        evidence.didSuffer(.readerStopped)
        session.pauseReading(.always)
        loop?.schedule(afterMilliseconds: milliseconds) { [weak self, weak session] in
            guard let self, let session, self.session === session else { return }
            isReadingStopped = false
            session.resumeReading(.always)
        }
    }

    // MARK: Writing

    /// Acts again after a pause, repeatedly.
    private func rest() {
        let pause = scenario.restMilliseconds
        let span = Int(pause.upperBound - pause.lowerBound) + 1
        loop?.schedule(afterMilliseconds: pause.lowerBound + UInt64(random.below(span))) {
            [weak self] in
            guard let self else { return }
            if isQuiet { lookOnceMore() } else { act() }
            rest()
        }
    }

    private func act() {
        guard let session, let room = random.pick(rooms) else { return }
        if scenario.hasPresence, random.chance(10) { return room.show(session) }
        if random.chance(scenario.dragsPercent) { return room.drag(session) }
        if scenario.forgetsAuthors, random.chance(5) { return room.leaveAndReturn(session) }
        switch random.below(100) {
        case 0..<2: room.leaveAndReturn(session)
        case 2..<6 where scenario.asksForHistory: room.askForHistory(session)
        case _ where isViewer: room.look(session)
        case 6..<6 + scenario.looksPercent: room.look(session)
        default:
            let burst = scenario.burst
            let count = burst.lowerBound + random.below(burst.count)
            for _ in 0..<count { room.write(session) }
        }
    }

    /// Has a view open in each room for the final comparison, and drags an item in it or none.
    private func lookOnceMore() {
        guard let session else { return }
        for room in rooms {
            if room.views.isEmpty { room.openView(session) }
            room.comeToRest(session, carrying: isCarrying)
        }
    }

    // MARK: The end

    /// Whether it has joined all its rooms, has what is on disk and all answers, and drags what it
    /// is to drag.
    func isSettled(_ disk: SimulatedDisk) -> Bool {
        session != nil
            && rooms.allSatisfy {
                $0.isSettled(at: disk.durable[$0.name].revision)
                    && $0.isAtRest(carrying: isCarrying)
            }
    }

    /// What is wrong with the presence that it sees, when all are settled; `nil` if nothing is.
    func presenceDifference(_ machines: [ClientMachine]) -> String? {
        let parts = machines.flatMap(\.rooms)
        for room in rooms {
            if let difference = room.presenceDifference(parts) {
                return "\(host) in \(room.name): \(difference)"
            }
        }
        return nil
    }

    /// What is wrong with its screens, when it is settled; `nil` if nothing is.
    func screenDifference(_ disk: SimulatedDisk, _ machines: [ClientMachine]) -> String? {
        let parts = machines.flatMap(\.rooms)
        for room in rooms {
            let revision = disk.durable[room.name].revision
            if let difference = room.screenDifference(at: revision, among: parts) {
                return "\(host) in \(room.name): \(difference)"
            }
        }
        return nil
    }
}
