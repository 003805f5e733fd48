import ServerSupport
import SyncClient
import SyncLayout
import SyncModel
import SyncRoom
import SyncServer
import SyncSim

/// Plays one scenario: server and clients in a simulated world, until the end and the judgement.
///
/// It has three acts. First, clients write and drag while faults happen. Then the faults end, no
/// client writes any more, and everything must come to rest: every transaction is answered, and
/// every client has what is on disk. This is checked once while some clients drag items over their
/// screens, and once when these are dropped or back at their places. At last the server dies once
/// more, another one is started on the same disk, and a new client joins it. Then the ``Judge``
/// compares the disk with everything that was sent.
final class SimulatedRun {
    /// The result.
    struct Verdict {
        var violations: [Violation]
        var timeline: [String]
        var transactions: Int
        var batches: Int
        var updates: Int
        /// How many first screens of connections were compared.
        var firstScreens: Int
        var interruptions: [String: Int]
        var drags: [Evidence.DragEvent: Int]
        var mishaps: [Mishap: Int]
        /// What the rights of users have led to.
        var acts: [AccessAct: Int]
        /// The numbers of evicted authors and of forgotten transactions.
        var evictions: Int
        var forgotten: Int
        /// The numbers of answers that report a changed guard.
        var changedGuards: (losses: Int, conflicts: Int)
        var backlogBytes: Int
        /// The longest wait of the innocent client for an answer, in steps of full turns, if there
        /// were strangers.
        var longestWait: Int
        /// How many times strangers have played their tricks.
        var deeds: [Trick: Int]
    }

    let scenario: Scenario
    let simulation: Simulation
    private let disk: SimulatedDisk
    let security: SimulatedSecurity?
    let evidence: Evidence
    let server: ServerMachine
    /// Knows what users may do, if the server asks for tokens.
    private let observer: AccessObserver?
    private var intruder: Intruder?
    private let caretaker: OperatorMachine
    /// The operator who takes access back.
    private let guardian: OperatorMachine
    /// Copies of the store, by the time at which they are restored.
    private var copies: [UInt64: SimulatedDisk.Copy] = [:]
    var clients: [ClientMachine]
    /// Programs that speak HTTP.
    private var programs: [WebMachine] = []
    /// Strangers, and a well-behaved client that measures how it is served meanwhile.
    var strangers: [StrangerMachine] = []
    var innocent: Innocent?
    /// Whether the faults are over.
    private var isWell = false
    /// Whether ``clients`` has all clients that the server may still show to others.
    private var areAllWatched = true

    /// The longest time until everything is at rest.
    private static let settlingMilliseconds: UInt64 = 15_000
    /// The longest delay of something that is still in flight.
    private static let lateMilliseconds: UInt64 = 2_000
    /// How long nothing must happen after that.
    private static let quietMilliseconds: UInt64 = 100
    /// The greatest backlog of one reader: answers to the allowed unanswered requests, and one
    /// delivery for each room.
    private var maximumBacklogBytes: Int {
        switch scenario.flavour {
        case .usual: Room.deliveryBytes
        // In these scenarios a batch is no larger than a room.
        case .crowded: 16 << 10
        // A delivery has at least one frame, however large its items are.
        case .bulky: 3 * Room.deliveryBytes
        }
    }

    private init(_ scenario: Scenario, _ canary: Canary?) throws {
        var scenario = scenario
        // A canary that damages streams damages frames.
        if canary != nil { scenario.usesWebSockets = false }
        self.scenario = scenario
        // A canary that changes bytes would die of TLS.
        security = scenario.isSecured && canary == nil ? try SimulatedSecurity() : nil
        var configuration = scenario.configuration
        configuration.security = security?.server
        simulation = Simulation(seed: scenario.seed)
        simulation.conditions = scenario.conditions
        disk = SimulatedDisk(seed: scenario.seed &* 31 &+ 7)
        let evidence = Evidence(simulation, disk, rooms: scenario.roomNames)
        self.evidence = evidence
        let office =
            scenario.hasTokens && canary?.isOfAccess != false
            ? TokenOffice(simulation, scenario) : nil
        observer = office.map { AccessObserver($0, evidence) }
        evidence.access = observer
        if observer != nil {
            let verifier = TestTokens()
            configuration.tokens = TokenAuthentication(canary?.damaged(verifier) ?? verifier)
        }
        server = ServerMachine(
            simulation, disk, evidence, configuration,
            keepsNothing: scenario.keepsNothing, hasWebSockets: scenario.usesWebSockets, canary,
            observer, rooms: scenario.roomNames)
        caretaker = OperatorMachine(
            "operator", simulation, evidence, try security?.makeClient(named: "operator"), office)
        guardian = OperatorMachine(
            "guardian", simulation, evidence, try security?.makeClient(named: "guardian"), office)
        let (simulation, security) = (simulation, security)
        clients = try (0..<scenario.machineCount).map {
            try ClientMachine($0, scenario, simulation, evidence, security, office)
        }
        programs = (0..<scenario.programCount).map {
            WebMachine($0, scenario, simulation, evidence)
        }
        if let observer {
            intruder = Intruder(
                simulation, scenario, observer, try security?.makeClient(named: "intruder")
            ) { [weak self] room in
                self?.identities(in: room) ?? []
            }
        }
    }

    /// The identities of clients whose transactions in a room can't be lost.
    private func identities(in room: RoomName) -> [Intruder.Identity] {
        guard scenario.losesNothing, let observer else { return [] }
        return clients.map { ($0.identity.client, $0.identity.secret) }
            .filter { observer.hasWritten($0.0, in: room) }
    }

    /// Plays a scenario.
    static func play(_ scenario: Scenario, with canary: Canary? = nil) throws -> Verdict {
        let run = try SimulatedRun(scenario, canary)
        defer {
            run.simulation.end()
            run.server.end()
            run.observer?.end()
        }
        return try run.play()
    }

    private func play() throws -> Verdict {
        try server.start()
        for client in clients { try client.start() }
        for program in programs { try program.start() }
        try intruder?.start()
        try beginSiege()
        for fault in scenario.faults { schedule(fault) }
        simulation.run(forMilliseconds: scenario.durationMilliseconds)
        heal()
        outliveTheDead()
        settle()
        endDrags()
        settle()
        judgeSiege()
        try startAnew()
        var transactions = 0
        for room in scenario.roomNames {
            transactions += Judge(evidence, disk, scenario.configuration).judge(room)
        }
        for failure in security?.failures ?? [] {
            evidence.accuse(.brokenProtocol, "TLS has failed: \(failure)")
        }
        let backlog = simulation.network.largestServerBacklogBytes
        if scenario.tricks.isEmpty, backlog > maximumBacklogBytes {
            evidence.accuse(.unbounded, "\(backlog) bytes waited for a reader")
        }
        return Verdict(
            violations: evidence.violations, timeline: evidence.timeline,
            transactions: transactions, batches: evidence.batchCount, updates: evidence.updateCount,
            firstScreens: evidence.firstScreens.count,
            interruptions: evidence.interruptions, drags: evidence.drags,
            mishaps: evidence.mishaps, acts: evidence.acts, evictions: evidence.evictionCount,
            forgotten: evidence.forgottenCount, changedGuards: evidence.changedGuardCounts,
            backlogBytes: backlog,
            longestWait: innocent?.longestWait ?? 0,
            deeds: Dictionary(strangers.map { ($0.trick, $0.deeds) }, uniquingKeysWith: +))
    }

    // MARK: The end

    private func heal() {
        evidence.note("all is well again")
        isWell = true
        server.pardon()
        for stranger in strangers { stranger.leave() }
        giveRights()
        for client in clients {
            client.pardon()
            client.isQuiet = true
            client.isCarrying = (client.index + Int(scenario.seed % 2)) % 2 == 0
        }
        for program in programs { program.isQuiet = true }
        simulation.conditions = scenario.conditions
        simulation.network.heal()
        (disk.isFull, disk.failsSyncs, disk.failsReads) = (false, false, false)
        server.listener?.isAccepting = true
    }

    /// From now on all users may edit. They get new tokens, as they have to connect again.
    private func giveRights() {
        guard let observer else { return }
        intruder?.leave()
        observer.office.isGenerous = true
        for connection in simulation.network.connections {
            connection.cut(heardBy: [.client, .server])
        }
    }

    /// Waits until dead clients have timed out; that ends their drags.
    private func outliveTheDead() {
        let configuration = scenario.configuration
        let silence =
            UInt64(configuration.connections.heartbeatMilliseconds)
            * configuration.connections.missedHeartbeats
        simulation.run(forMilliseconds: silence + SimulatedRun.lateMilliseconds)
        let living = Set(clients.map(\.identity.client))
        for room in clients.flatMap(\.rooms) {
            for (client, presence) in room.others where !living.contains(client) {
                guard let dragged = presence.dragged else { continue }
                evidence.accuse(
                    .differs, "\(client) is dead, and seen in \(room.name) to drag \(dragged)")
            }
        }
    }

    /// Ends all drags.
    private func endDrags() {
        for part in clients.flatMap(\.rooms) where part.dragged?.target != nil {
            evidence.didDrag(.shown)
        }
        evidence.note("nobody holds anything any more")
        for client in clients { client.isCarrying = false }
    }

    private func settle() {
        let isSettled = simulation.run(limitMilliseconds: SimulatedRun.settlingMilliseconds) {
            clients.allSatisfy { $0.isSettled(disk) } && programs.allSatisfy { $0.isSettled(disk) }
                && clients.allSatisfy { difference($0) == nil }
        }
        // Late events must not change the result.
        if isSettled { simulation.run(forMilliseconds: SimulatedRun.quietMilliseconds) }
        for client in clients where client.isSettled(disk) {
            if let difference = difference(client) {
                evidence.accuse(.differs, difference)
            }
        }
        for program in programs where !program.isSettled(disk) {
            evidence.accuse(.unsettled, "\(program.host): \(program.state)")
        }
        for client in clients where !client.isSettled(disk) {
            for room in client.rooms {
                evidence.accuse(.unsettled, "\(client.host) in \(room.name): \(room.state)")
            }
        }
    }

    /// What is wrong with a client's screens and presence once no more updates come.
    private func difference(_ client: ClientMachine) -> String? {
        client.screenDifference(disk, clients)
            ?? (areAllWatched ? client.presenceDifference(clients) : nil)
    }

    /// Starts another server on the same disk, with a new client.
    private func startAnew() throws {
        server.die(.powerless)
        try server.start()
        let late = try ClientMachine(
            clients.count, scenario, simulation, evidence, security, observer?.office)
        late.isQuiet = true
        clients = [late]
        areAllWatched = false
        try late.start()
        settle()
    }

    // MARK: Faults

    private func schedule(_ fault: Fault) {
        if case .storeIsPutBack(let age, _) = fault.kind {
            let at = fault.atMilliseconds
            simulation.after(milliseconds: at - min(at, age)) { [self] in
                copies[at] = disk.copy()
            }
        }
        simulation.after(milliseconds: fault.atMilliseconds) { [self] in
            if isWell { return }
            evidence.note("\(fault.kind)")
            bring(fault.kind, at: fault.atMilliseconds)
        }
    }

    private func bring(_ kind: Fault.Kind, at time: UInt64) {
        switch kind {
        case .serverDies(let death, let acts, let down):
            server.doom(death, afterActs: acts, downMilliseconds: down)
        case .serverDrains(let down): server.drain(downMilliseconds: down)
        case .clientDies(let index, let death, let acts, let keepsState, let down):
            clients[index].doom(
                death, afterActs: acts, keepsState: keepsState, downMilliseconds: down)
        case .cut(let pick, let sides):
            let connections = simulation.network.connections
            guard !connections.isEmpty else { return }
            let connection = connections[Int(pick % UInt64(connections.count))]
            if connection.isOpen {
                evidence.didSuffer(sides.count == 2 ? .connectionCut : .halfOpen)
            }
            connection.cut(heardBy: Set(sides))
        case .partition(let index, let duration):
            let host = clients[index].host
            let isConnected = simulation.network.connections.contains {
                $0.isOf(host) && $0.isOpen
            }
            if isConnected { evidence.didSuffer(.partition) }
            simulation.network.partition(host, from: ServerMachine.host)
            simulation.after(milliseconds: duration) { [self] in
                simulation.network.heal(host, with: ServerMachine.host)
            }
        case .readerStops(let index, let duration):
            clients[index].stopReading(milliseconds: duration)
        case .serverHangs(let duration):
            server.listener?.isAccepting = false
            simulation.after(milliseconds: duration) { [self] in
                server.listener?.isAccepting = true
            }
        case .diskIsFull(let duration): disturb(\.isFull, duration)
        case .syncsFail(let duration): disturb(\.failsSyncs, duration)
        case .readsFail(let duration): disturb(\.failsReads, duration)
        case .roomIsDeleted(let pick):
            let names = scenario.roomNames
            caretaker.delete(names[Int(pick % UInt64(names.count))])
        case .storeIsPutBack(_, let down):
            if let copy = copies[time] { server.putBack(to: copy, downMilliseconds: down) }
        case .accessTakenBack(let pick):
            guard let office = observer?.office else { return }
            let user = ClientMachine.user(Int(pick / 16 % UInt64(clients.count)))
            let taken = office.chooseTaken(pick, of: user)
            if pick / 8 % 2 == 0 {
                server.takeBack(taken)
            } else {
                guardian.takeBack(taken.what.subject)
            }
        case .keysAreUpdated(let pick):
            if security?.updateKeys(of: pick) == true { evidence.didSuffer(.keysUpdated) }
        case .networkIsSlow(let duration):
            slow(\.networkDelayMicroseconds, to: 20_000...250_000, duration)
        case .diskIsSlow(let duration):
            slow(\.jobMicroseconds, to: 20_000...150_000, duration)
        }
    }

    private func disturb(
        _ path: ReferenceWritableKeyPath<SimulatedDisk, Bool>, _ duration: UInt64
    ) {
        disk[keyPath: path] = true
        simulation.after(milliseconds: duration) { [self] in disk[keyPath: path] = false }
    }

    private func slow(
        _ path: WritableKeyPath<Conditions, ClosedRange<UInt64>>, to range: ClosedRange<UInt64>,
        _ duration: UInt64
    ) {
        simulation.conditions[keyPath: path] = range
        simulation.after(milliseconds: duration) { [self] in
            simulation.conditions[keyPath: path] = scenario.conditions[keyPath: path]
        }
    }
}
