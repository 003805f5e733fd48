import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncWire
import Synchronization

/// One loop of a server, with the connections it accepted and the rooms that are pinned to it.
///
/// What a turn has brought is worked off at its end (`endTurn`), in this order: each touched room's
/// record goes to the store; each room that may show something new composes it; each connection
/// that has something to say writes it, all at once. So a tick costs one append a room, and one
/// write a connection. A turn has a budget of steps (``TurnBudget``), shared by these phases. What
/// it does not suffice for waits for the next turn: rooms first come, first served, connections as
/// ``TurnQueue`` has it, so that no connection, room or address holds the others up.
///
/// A room's connections may be on other loops. What goes between the two is posted, and what goes
/// to many connections of a loop is posted once. Each side holds of the other only its number.
///
/// Invariants:
/// 1. A room is on the loop that its name says, and nowhere else.
/// 2. A room sends a connection nothing on a channel before the connection has said that it took
///    what it was sent there before (`ready`). Answers are excepted; they are bounded by what is
///    unanswered.
final class ServerLoop {
    let context: ServerContext
    let loop: any EventLoop
    let index: Int
    @exclusivity(unchecked) private(set) var peers: [LoopHandle] = []
    /// What spreads rooms over loops: the same for all loops of a process, another in each process.
    private var hash = SipHash(key: (0, 0))
    /// What addresses have and do; there is one table for all loops.
    private(set) var addresses: AddressTable?

    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each transaction and delivery.

    let codec: FrameCodec
    /// How many transactions of a member may be unanswered.
    let maximumUnanswered: Int

    // Connections.
    @exclusivity(unchecked) var connections = ConnectionTable()
    var listener: (any Listener)?

    // Rooms.
    @exclusivity(unchecked) var hosts = HostTable()
    /// How much all rooms lay out for views together.
    let viewPace = ViewPace.Shared()
    private(set) lazy var reads = Reads(on: self)

    /// What is to be done at the end of the turn.
    @exclusivity(unchecked) var agenda = TurnAgenda()
    /// What the work of a turn is taken from.
    let budget: TurnBudget
    /// What this turn has done so far, and for how long.
    @exclusivity(unchecked) var watchdog = Watchdog()
    /// For how long the loop has been able to hear its connections.
    var hearing = HearingClock()

    /// What is counted of the server's memory here.
    let memory: LoopMemory

    /// How far the server's end has come.
    @exclusivity(unchecked) var drain = LoopDrain()

    /// What connections and rooms hold more or less since the last turn.
    var tally: Tally { memory.tally }
    var configuration: ServerConfiguration { context.configuration }

    init(context: ServerContext, loop: any EventLoop, index: Int) {
        self.context = context
        self.loop = loop
        self.index = index
        memory = LoopMemory(of: context.pots.memory)
        budget = TurnBudget(stepsPerTurn: context.configuration.turnSteps)
        codec = FrameCodec(context.configuration.wire)
        maximumUnanswered = context.configuration.wire.unansweredTransactions
    }

    /// Begins, when all loops are there.
    func begin(with peers: [LoopHandle], _ hash: SipHash, _ addresses: AddressTable) {
        self.peers = peers
        hearing.begin(at: loop.nowMilliseconds)
        self.hash = hash
        self.addresses = addresses
        watchSessions()
    }

    /// Forgets what refers to the loop, of which something is left where the end was not in order.
    func abandon() {
        connections = ConnectionTable()
        agenda.removeAll()
        for host in hosts.all { host.abandon() }
        hosts = HostTable()
        reads.abandon()
        drain = LoopDrain()
    }

    /// The time on the clock by which silence is measured.
    var heardMilliseconds: UInt64 { hearing.milliseconds(at: loop.nowMilliseconds) }

    /// Has `work` done on a loop: now if it is this one, else soon.
    func on(_ target: Int, _ work: @escaping @Sendable (ServerLoop) -> Void) {
        if target == index { work(self) } else { peers[target].post(for: watchdog.message, work) }
    }

    /// Which loop a room is on: the same for all of a process, and not to be foreseen.
    func loopIndex(of room: RoomName) -> Int {
        // A request names its room; with one loop there is nothing to be found out.
        peers.count == 1 ? 0 : Int(hash(room.text) % UInt64(peers.count))
    }

    /// Which loop the room of a handle is on.
    func loopIndex(of handle: RoomHandle) -> Int {
        Int(handle) % peers.count
    }

    func makeHandle() -> RoomHandle {
        hosts.makeHandle { [index, count = RoomHandle(peers.count)] number in
            number &* count &+ RoomHandle(index)
        }
    }

    func makeSessionID() -> ConnectionID {
        ConnectionID(loop: index, connection: context.nextConnection())
    }
}

extension ConnectionID {
    /// A connection's number with the number of its loop in front.
    init(loop: Int, connection: UInt64) {
        self.init(value: UInt64(loop) << 48 | connection)
    }

    var connection: UInt64 { value & (1 << 48 - 1) }

    var loopIndex: Int { Int(value >> 48) }
}

/// What others hold of a ``ServerLoop``: a way to have something done there.
final class LoopHandle: Sendable {
    let index: Int
    private let mailbox: any Mailbox
    /// How many connections the loop has, and is about to be given.
    let connections = Atomic<Int>(0)
    /// Used on the loop's own thread only, or when that has ended.
    private nonisolated(unsafe) var loop: ServerLoop?

    init(_ loop: ServerLoop, index: Int, mailbox: any Mailbox) {
        self.index = index
        self.loop = loop
        self.mailbox = mailbox
    }

    /// Has `work` done on the loop, after what was posted before; if the loop has ended, never.
    ///
    /// - Parameter message: the kind of message that it is done for, if it is for one.
    func post(
        for message: StaticString? = nil, _ work: @escaping @Sendable (ServerLoop) -> Void
    ) {
        mailbox.post { [self] in
            guard let loop else { return }
            loop.perform(.posted, for: message) { work(loop) }
        }
    }

    /// Lets the loop go; called when its thread has ended.
    func release() {
        loop?.abandon()
        loop = nil
    }
}

/// What a loop counts of its server's memory.
final class LoopMemory {
    /// What connections and rooms hold more or less since the last turn.
    let tally: Tally
    /// What a store in memory has, which the first loop counts.
    let store: Charge
    /// How near the server's memory is to its limit.
    @exclusivity(unchecked) var pressure = MemoryPressure.none

    init(of pot: Account) {
        tally = Tally(of: pot)
        store = Charge(in: pot, as: .store, on: tally)
    }
}

/// What serves all connections and rooms of a loop to read frames and to make them. Its memory
/// serves again and again.
final class FrameCodec {
    let encoder = MessageEncoder()
    let decoder: MessageDecoder
    private var encoders: [FrameEncoding: any FrameEncoder] = [:]
    /// The frame that says that the server is there.
    let heartbeat: SharedBytes
    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each answer.
    @exclusivity(unchecked) var writer = ByteWriter(capacity: 4096)

    init(_ limits: WireLimits) {
        decoder = MessageDecoder(limits: limits)
        heartbeat = encoder.encode(ServerMessage.heartbeat(Heartbeat())).plain
    }

    /// What writes frames in an encoding; `nil` for frames as they are.
    func encoder(in encoding: FrameEncoding) -> (any FrameEncoder)? {
        if encoding == .plain { return nil }
        if let known = encoders[encoding] { return known }
        let encoder = encoding.makeEncoder()
        encoders[encoding] = encoder
        return encoder
    }
}

/// A clock that goes only while the loop can hear its connections.
///
/// A loop that is held, or a machine that sleeps, hears nobody, and what came meanwhile waits in
/// the sockets: so a stall must not count as the silence of those at the other end. Between two
/// ticks of this clock the loop has looked at its sockets at least once, and however long that
/// took, it goes on by no more than two intervals.
struct HearingClock {
    private var heard: UInt64 = 0
    private var lastTick: UInt64 = 0
    private var mostPerTick: UInt64 = 0

    mutating func begin(at now: UInt64) {
        lastTick = now
    }

    mutating func tick(at now: UInt64, intervalMilliseconds: UInt64) {
        mostPerTick = 2 * intervalMilliseconds
        heard = milliseconds(at: now)
        lastTick = now
    }

    /// For how many milliseconds the loop has listened.
    func milliseconds(at now: UInt64) -> UInt64 {
        let elapsed = now - min(lastTick, now)
        return heard + (mostPerTick == 0 ? elapsed : min(elapsed, mostPerTick))
    }
}
