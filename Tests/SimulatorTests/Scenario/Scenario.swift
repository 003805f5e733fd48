import ModelSupport
import SeededRandom
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire

/// Everything that a seed decides in advance: the participants, the conditions, and the faults with
/// their times.
///
/// While the world runs, the scenario and the same seed's random numbers decide what happens. So a
/// scenario with fewer faults is another run of the same participants in the same world.
struct Scenario {
    /// The emphasis of a run.
    enum Flavour {
        case usual
        /// All clients write fast, and one reads slowly most of the time.
        case crowded
        /// Items are so large that snapshots and batches arrive in parts.
        case bulky
    }

    let seed: UInt64
    private(set) var flavour: Flavour
    /// The numbers of clients that write, and of clients that only view.
    var clientCount: Int
    var viewerCount: Int
    /// The share of the writers' actions that concern views.
    var looksPercent: Int
    /// The share of actions in views that concern drags.
    var dragsPercent: Int
    /// Whether members have presence.
    var hasPresence: Bool
    var roomNames: [RoomName]
    /// How long clients write and faults happen.
    var durationMilliseconds: UInt64
    /// The pause of a client between two actions.
    var restMilliseconds: ClosedRange<UInt64>
    /// The number of transactions in one action.
    var burst: ClosedRange<Int>
    var everyRevisionPercent: Int
    var asksForHistory = true
    /// Whether the room remembers hardly more authors than are in it, and clients stay away for a
    /// while.
    private(set) var forgetsAuthors = false
    /// Whether the server has only memory, so that nothing survives its end.
    let keepsNothing: Bool
    /// Whether connections are secured by TLS.
    var isSecured: Bool
    /// Whether some clients connect by WebSockets. With tokens none do, since the observer reads
    /// nothing but frames.
    var usesWebSockets = false
    /// How many programs speak HTTP.
    var programCount: Int { usesWebSockets && flavour == .usual ? roomNames.count : 0 }
    /// Whether the server asks for tokens. Then a run takes longer, as tokens last for seconds.
    private(set) var hasTokens = false
    var configuration = ServerConfiguration()
    var conditions = Conditions()
    var faults: [Fault] = []
    /// How many times longer a run with tokens takes.
    private static let tokenSlowness: UInt64 = 4

    /// The tricks of strangers beside the well-behaved clients.
    var tricks: [Trick] = []

    init(seed: UInt64) {
        self.seed = seed
        flavour =
            seed % 12 == 5
            ? .crowded : seed % 36 == 7 ? .bulky : .usual
        var random = SplitMix64(seed: seed &* 0x9E37_79B9 &+ 1)
        clientCount = 2 + random.below(3)
        viewerCount = random.below(3)
        looksPercent = random.pick([0, 10, 40]) ?? 10
        dragsPercent = [0, 15, 40][Int(seed % 3)]
        hasPresence = seed % 5 < 3
        keepsNothing = seed % 9 == 4
        isSecured = seed % 4 == 2
        roomNames = Scenario.names(random.chance(70) ? 1 : 2, seed)
        durationMilliseconds = UInt64(300 + random.below(700))
        let rest = UInt64(5 + random.below(30))
        restMilliseconds = rest / 4...rest
        burst = 1...(1 + random.below(4))
        everyRevisionPercent = random.chance(30) ? 50 : 0
        chooseConfiguration(&random)
        chooseConditions(&random)
        chooseFaults(&random)
        // In a slow world everything takes longer.
        durationMilliseconds += conditions.networkDelayMicroseconds.upperBound / 100
        durationMilliseconds += conditions.jobMicroseconds.upperBound / 100
        chooseLosses()
        if isSecured { updateKeys() }
        if flavour == .usual, seed % 2 == 1 { forgetAuthors() }
        if flavour == .crowded { crowd(&random) }
        if flavour == .bulky { grow(&random) }
        if flavour == .usual, seed % 5 == 1 { askForTokens() }
        usesWebSockets = seed % 4 == 1 && !hasTokens
    }

    /// Names whose texts are equal to Swift, but not their bytes.
    private static func names(_ count: Int, _ seed: UInt64) -> [RoomName] {
        let pair = seed % 2 == 0 ? Spellings.all.prefix(2) : Spellings.all.suffix(2)
        return pair.prefix(count).map { roomName($0) }
    }

    /// A scenario without faults, but with strangers that do anything, and a server with short
    /// turns.
    init(besieged seed: UInt64) {
        self.init(seed: seed)
        var random = SplitMix64(seed: seed &* 0xA24B_AED5 &+ 5)
        flavour = .usual
        hasTokens = false
        usesWebSockets = false
        faults = []
        tricks = (0..<2 + random.below(3)).map { _ in random.pick(Trick.usual) ?? .mixture }
        durationMilliseconds = 300
        configuration.threads = 1 + random.below(2)
        configuration.turnSteps = random.pick([512, 2048]) ?? 512
        configuration.storage.idleUnloadMilliseconds = 100
        configuration.connections.frameTimeoutMilliseconds = 300
        conditions.networkDelayMicroseconds = 50...UInt64(random.pick([300, 3000]) ?? 300)
        conditions.pieceBytes = 1...16_384
        conditions.pieceGapMicroseconds = 0...30
        conditions.socketBufferBytes = random.pick([4096, 65_536]) ?? 4096
        conditions.turnMicroseconds = 0...100
        conditions.mailDelayMicroseconds = 1...30
        conditions.jobMicroseconds = 50...UInt64(random.pick([500, 5000]) ?? 500)
        if seed % 8 == 3 { hoard() }
    }

    /// One stranger alone fills the server's memory as far as allowed. The first burst is small
    /// compared with that.
    mutating func hoard() {
        tricks = [.hoards]
        durationMilliseconds = 1200
        configuration.maximumMemoryBytes = 8 << 20
        configuration.addresses.bytes = Rate(perMinute: 480 << 20, burst: 32 << 10)
        conditions.networkDelayMicroseconds = 50...300
        conditions.socketBufferBytes = 65_536
    }

    /// The number of machines besides the server's.
    var machineCount: Int { clientCount + viewerCount }

    /// Whether the client at a machine only views.
    func isViewer(_ index: Int) -> Bool { (clientCount..<machineCount).contains(index) }

    private mutating func crowd(_ random: inout SplitMix64) {
        durationMilliseconds = 600
        restMilliseconds = 1...4
        burst = 1...4
        everyRevisionPercent = 0
        asksForHistory = false
        conditions.networkDelayMicroseconds = 50...400
        conditions.jobMicroseconds = 50...500
        conditions.socketBufferBytes = 600
        configuration.wire.unansweredTransactions = random.pick([3, 16]) ?? 3
        faults = [
            Fault(
                atMilliseconds: 20,
                kind: .readerStops(random.below(machineCount), milliseconds: 500)
            )
        ]
    }

    private mutating func grow(_ random: inout SplitMix64) {
        durationMilliseconds = 250
        restMilliseconds = 2...20
        burst = 1...1
        conditions.pieceBytes = 1000...16_384
        conditions.socketBufferBytes = 65_536
        conditions.networkDelayMicroseconds = 50...400
        conditions.jobMicroseconds = 50...500
    }

    /// The same faults and actions, in some seconds.
    private mutating func askForTokens() {
        hasTokens = true
        let factor = Scenario.tokenSlowness
        durationMilliseconds *= factor
        let rest = restMilliseconds
        restMilliseconds = rest.lowerBound * factor...rest.upperBound * factor
        for index in faults.indices { faults[index].atMilliseconds *= factor }
        var random = SplitMix64(seed: seed &* 0xC2B2_AE3D &+ 17)
        for _ in 0..<random.below(5) {
            faults.append(
                Fault(
                    atMilliseconds: UInt64(random.below(Int(durationMilliseconds))),
                    kind: .accessTakenBack(pick: random.next())))
        }
        // Deletions are rarer here, as an operator may be cut off, too.
        if random.chance(30) {
            let at = UInt64(random.below(Int(durationMilliseconds)))
            faults.append(
                Fault(atMilliseconds: at, kind: .roomIsDeleted(pick: random.next())))
        }
        faults.sort { $0.atMilliseconds < $1.atMilliseconds }
    }

    /// Ends of secured connections change their keys now and then. Like losses, this has random
    /// numbers of its own.
    private mutating func updateKeys() {
        var random = SplitMix64(seed: seed &* 0x8CB9_2BA7 &+ 19)
        for _ in 0...random.below(5) {
            faults.append(
                Fault(
                    atMilliseconds: UInt64(random.below(Int(durationMilliseconds))),
                    kind: .keysAreUpdated(pick: random.next())))
        }
        faults.sort { $0.atMilliseconds < $1.atMilliseconds }
    }

    /// Whether nothing that was written can be lost or forgotten.
    var losesNothing: Bool {
        !keepsNothing && !forgetsAuthors
            && faults.allSatisfy { fault in
                switch fault.kind {
                case .roomIsDeleted, .storeIsPutBack: false
                default: true
                }
            }
    }

    /// The room remembers hardly more authors than are in it, and clients come and go, some as new
    /// clients.
    mutating func forgetAuthors() {
        guard !forgetsAuthors else { return }
        configuration.room.maximumAuthors = 1 + Int(seed / 4 % 2)
        forgetsAuthors = true
        var random = SplitMix64(seed: seed &* 0xA0761D64 &+ 5)
        for _ in 0..<5 {
            let death = Fault.Kind.clientDies(
                random.below(clientCount), .killed, afterActs: 0, keepsState: false,
                downMilliseconds: 5)
            let at = UInt64(random.below(Int(durationMilliseconds)))
            faults.append(Fault(atMilliseconds: at, kind: death))
        }
        faults.sort { $0.atMilliseconds < $1.atMilliseconds }
    }

    private mutating func chooseConfiguration(_ random: inout SplitMix64) {
        configuration.threads = 1 + random.below(3)
        configuration.wire.unansweredTransactions = random.pick([1, 3, 16, 1024]) ?? 16
        configuration.room.horizon = UInt64(random.pick([2, 10, 40]) ?? 10)
        configuration.room.maximumHorizon = configuration.room.horizon + UInt64(random.below(60))
        configuration.room.maximumDeadNodes = random.pick([15, 60, 100_000]) ?? 60
        configuration.storage.snapshotRevisions = UInt64(random.pick([2, 15, 100_000]) ?? 15)
        configuration.storage.snapshotBytes = random.pick([500, 1 << 20]) ?? 500
        configuration.connections.heartbeatMilliseconds = UInt32(150 + random.below(400))
        configuration.connections.handshakeTimeoutMilliseconds = 600
        configuration.storage.idleUnloadMilliseconds = UInt64(random.pick([5, 100, 60_000]) ?? 100)
        configuration.drainMilliseconds = 3000
        if random.chance(20) {
            configuration.storage.historyMilliseconds = 300
            configuration.storage.upkeepMilliseconds = 200
        }
    }

    private mutating func chooseConditions(_ random: inout SplitMix64) {
        let delay = UInt64(random.pick([300, 3000, 30_000]) ?? 3000)
        conditions.networkDelayMicroseconds = 50...delay
        conditions.pieceGapMicroseconds = 0...(delay / 8)
        conditions.pieceBytes = 1...(random.pick([40, 700, 16_384]) ?? 700)
        conditions.socketBufferBytes = random.pick([600, 4096, 65_536]) ?? 4096
        conditions.turnMicroseconds = 0...UInt64(random.pick([20, 300, 4000]) ?? 300)
        conditions.mailDelayMicroseconds = 1...UInt64(random.pick([30, 100, 3000]) ?? 100)
        conditions.jobMicroseconds = 50...UInt64(random.pick([500, 5000, 40_000]) ?? 5000)
    }

    private mutating func chooseFaults(_ random: inout SplitMix64) {
        let count = random.chance(8) ? 0 : 2 + random.below(14)
        faults = (0..<count).map { _ in
            Fault(
                random: &random, before: durationMilliseconds,
                clientCount: machineCount)
        }
        faults.sort { $0.atMilliseconds < $1.atMilliseconds }
    }

    /// Chooses deletions and restored stores from random numbers of their own, so that the other
    /// choices of a seed stay the same.
    private mutating func chooseLosses() {
        var random = SplitMix64(seed: seed &* 0xD6E8_FEB8 &+ 3)
        guard random.chance(55) else { return }
        for _ in 0...random.below(3) {
            faults.append(.loss(random: &random, before: durationMilliseconds))
        }
        faults.sort { $0.atMilliseconds < $1.atMilliseconds }
    }
}

extension Scenario: CustomStringConvertible {
    var description: String {
        """
        \(clientCount) clients and \(viewerCount) viewers in \(roomNames), \(durationMilliseconds) ms, bursts \(burst), \
        rest \(restMilliseconds) ms, \(configuration.threads) loops, \
        \(configuration.wire.unansweredTransactions) unanswered, \
        \(keepsNothing ? "nothing kept, " : "")\(isSecured ? "secured, " : "")\
        \(usesWebSockets ? "by WebSockets, " : "")\(programCount) programs over HTTP, \
        \(hasTokens ? "with tokens, " : "")\
        horizon \(configuration.room.horizon) to \(configuration.room.maximumHorizon), \
        snapshots after \(configuration.storage.snapshotRevisions), \
        network \(conditions.networkDelayMicroseconds) µs, job \(conditions.jobMicroseconds) µs, \
        socket \(conditions.socketBufferBytes) bytes, turns of \(configuration.turnSteps) steps, \
        strangers \(tricks.map(\.rawValue))
        """
    }
}
