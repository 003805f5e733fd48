import SyncAccess
import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncWire
import Synchronization

/// One loop of a server, with its connections and the rooms that are pinned to it.
///
/// The end of a turn (`endTurn`) does the turn's work in this order: each touched room sends a
/// record to the store; each room with news for its members composes it; each connection with
/// output writes it, all at once. So a tick costs one append a room, and one write a connection.
///
/// These phases share the turn's budget of steps (``TurnBudget``). Work beyond the budget waits for
/// the next turn: rooms in order of arrival, connections as ``TurnQueue`` decides. So no
/// connection, room or address blocks the others.
///
/// A room's connections may be on other loops. Calls between the two are posted, and a call to many
/// connections of a loop is posted once. Each side knows the other only by its number.
///
/// Invariants:
/// 1. A room is on the loop that its name selects (``loopIndex(of:)``), and nowhere else.
/// 2. On a channel, a room sends a connection nothing more until the connection has written the
///    last delivery (`ready`). Answers are an exception, but the number of unanswered transactions
///    limits them.
final class ServerLoop {
    let context: ServerContext
    let loop: any EventLoop
    let index: Int
    @exclusivity(unchecked) private(set) var peers: [LoopHandle] = []
    /// Spreads rooms over loops. It is the same for all loops of a process, and another one in each
    /// process.
    private var hash = SipHash(key: (0, 0))
    /// The accounts of addresses and users, which all loops share.
    private(set) var accounts: ClientAccounts?

    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each transaction and delivery.

    let codec: FrameCodec
    /// How many transactions of a member may be unanswered.
    let maximumUnanswered: Int

    // Connections.
    @exclusivity(unchecked) var connections: ConnectionTable
    var listeners: [any Listener] = []

    // Rooms.
    @exclusivity(unchecked) var hosts = HostTable()
    /// Limits how much all rooms together lay out for views.
    let viewPace = ViewPace.Shared()
    private(set) lazy var reads = Reads(on: self)

    /// The work for the end of the turn.
    @exclusivity(unchecked) var agenda = TurnAgenda()
    /// How much work a turn may still do.
    let budget: TurnBudget
    /// What this turn has done so far, and for how long.
    @exclusivity(unchecked) var watchdog = Watchdog()
    var clocks = LoopClocks()

    /// This loop's part in the count of the server's memory.
    let memory: LoopMemory

    /// How far the server's shutdown has come.
    @exclusivity(unchecked) var drain = LoopDrain()

    /// How the memory of connections and rooms has changed since the last turn.
    var tally: Tally { memory.tally }
    /// What the loop counts for metrics.
    var counts: LoopCounts { watchdog.counts }
    /// The server's options, with the limits that apply now.
    @exclusivity(unchecked) private(set) var configuration: ServerConfiguration

    init(context: ServerContext, loop: any EventLoop, index: Int) {
        configuration = context.configuration
        self.context = context
        self.loop = loop
        self.index = index
        memory = LoopMemory(of: context.pots.memory)
        budget = TurnBudget(stepsPerTurn: context.configuration.turnSteps)
        codec = FrameCodec(context.configuration.wire)
        maximumUnanswered = context.configuration.wire.unansweredTransactions
        connections = ConnectionTable(counting: watchdog.counts)
    }

    /// Begins, when all loops have started.
    func begin(with peers: [LoopHandle], _ hash: SipHash, _ accounts: ClientAccounts) {
        self.peers = peers
        clocks.listening.begin(at: loop.nowMilliseconds)
        self.hash = hash
        self.accounts = accounts
        watchSessions()
    }

    /// Applies the limits of a new configuration to the connections and rooms of this loop.
    func change(to configuration: ServerConfiguration) {
        self.configuration = configuration
        for session in connections.sessions { session.limitsDidChange() }
        for host in hosts.all {
            host.room.change(to: configuration.room)
            host.limitsDidChange()
        }
    }

    /// Drops what retains the loop; something is left if the shutdown was not in order.
    func abandon() {
        connections = ConnectionTable(counting: counts)
        agenda.removeAll()
        for host in hosts.all { host.abandon() }
        hosts = HostTable()
        reads.abandon()
        drain = LoopDrain()
    }

    /// The time of the clock that measures silence.
    var listenedMilliseconds: UInt64 {
        clocks.listening.milliseconds(at: loop.nowMilliseconds)
    }

    /// Runs `work` on a loop: at once if it is this one, else posted.
    func on(_ target: Int, _ work: @escaping @Sendable (ServerLoop) -> Void) {
        if target == index { work(self) } else { peers[target].post(for: watchdog.message, work) }
    }

    /// Which loop a room is on. All loops of a process agree on it, and clients can't predict it.
    func loopIndex(of room: RoomName) -> Int {
        // This runs for each request, so a single loop saves the hash.
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
    /// Combines a connection's number with the number of its loop, in the upper 16 bits.
    init(loop: Int, connection: UInt64) {
        self.init(value: UInt64(loop) << 48 | connection)
    }

    var connection: UInt64 { value & (1 << 48 - 1) }

    var loopIndex: Int { Int(value >> 48) }
}

/// How other threads refer to a ``ServerLoop``: they can post work to it.
final class LoopHandle: Sendable {
    let index: Int
    private let mailbox: any Mailbox
    /// How many connections the loop has, or is about to get.
    let connections = Atomic<Int>(0)
    /// What the loop counts.
    let counts: LoopCounts
    /// Used only on the loop's own thread, or after that has ended.
    private nonisolated(unsafe) var loop: ServerLoop?

    init(_ loop: ServerLoop, index: Int, mailbox: any Mailbox) {
        self.index = index
        self.loop = loop
        counts = loop.counts
        self.mailbox = mailbox
    }

    /// Runs `work` on the loop, after what was posted before; never, if the loop has ended.
    ///
    /// - Parameter message: the kind of message that it is done for, if any.
    func post(
        for message: StaticString? = nil, _ work: @escaping @Sendable (ServerLoop) -> Void
    ) {
        mailbox.post { [self] in
            guard let loop else { return }
            loop.perform(.posted, for: message) { work(loop) }
        }
    }

    /// Releases the loop; called when its thread has ended.
    func release() {
        loop?.abandon()
        loop = nil
    }
}

/// A loop's part in the count of its server's memory.
final class LoopMemory {
    /// How the memory of connections and rooms has changed since the last turn.
    let tally: Tally
    /// The bytes of a store in memory; only the first loop counts them.
    let store: Charge
    /// How near the server's memory is to its limit.
    @exclusivity(unchecked) var pressure = MemoryPressure.none

    init(of pot: Account) {
        tally = Tally(of: pot)
        store = Charge(in: pot, as: .store, on: tally)
    }
}

/// Decodes and encodes frames for all connections and rooms of a loop. It reuses its memory.
final class FrameCodec {
    let encoder = MessageEncoder()
    let decoder: MessageDecoder
    private var encoders: [FrameEncoding: any FrameEncoder] = [:]
    /// The frame of a heartbeat.
    let heartbeat: SharedBytes
    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each answer.
    @exclusivity(unchecked) var writer = ByteWriter(capacity: 4096)

    init(_ limits: WireLimits) {
        decoder = MessageDecoder(limits: limits)
        heartbeat = encoder.encode(ServerMessage.heartbeat(Heartbeat())).plain
    }

    /// The encoder for an encoding; `nil` for plain frames.
    func encoder(in encoding: FrameEncoding) -> (any FrameEncoder)? {
        if encoding == .plain { return nil }
        if let known = encoders[encoding] { return known }
        let encoder = encoding.makeEncoder()
        encoders[encoding] = encoder
        return encoder
    }
}

/// What a loop knows of the time, beside the time itself.
struct LoopClocks {
    /// Measures the time in which the loop could read from its connections.
    var listening = ListeningClock()
    /// The date of answers over HTTP.
    var date = HTTPDate()
}

/// A clock that runs only while the loop can read from its connections.
///
/// While a loop is blocked, or the machine sleeps, input waits unread in the sockets. So this time
/// must not count as silence of the other side. Between two ticks of this clock the loop has polled
/// its sockets at least once. However long that took, the clock advances by at most two intervals.
struct ListeningClock {
    private var listened: UInt64 = 0
    private var lastTick: UInt64 = 0
    private var mostPerTick: UInt64 = 0

    mutating func begin(at now: UInt64) {
        lastTick = now
    }

    mutating func tick(at now: UInt64, intervalMilliseconds: UInt64) {
        mostPerTick = 2 * intervalMilliseconds
        listened = milliseconds(at: now)
        lastTick = now
    }

    /// For how many milliseconds the loop could read.
    func milliseconds(at now: UInt64) -> UInt64 {
        let elapsed = now - min(lastTick, now)
        return listened + (mostPerTick == 0 ? elapsed : min(elapsed, mostPerTick))
    }
}
