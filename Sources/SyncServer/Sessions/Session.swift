import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncWire

/// A connection: from the hello to the last byte.
///
/// It owns the stream, its input and output, and its memberships: their rooms' handles and how much
/// is unanswered there.
///
/// Invariants:
/// 1. At most one write is in flight. Only answers, one delivery for each channel, and a few
///    messages about the connection are queued behind it.
/// 2. Reading pauses while a room has too many unanswered transactions of it, while many bytes are
///    queued, or while many other tasks of it are pending. So everything in invariant 1 is bounded,
///    whatever the other side does. Reading also pauses when it has used its part of a turn.
/// 3. After the last message (``fail(_:_:)``) all input is dropped.
final class Session: ByteStreamHandler, ClientConnection, AccountUser {
    enum Phase {
        case greeting
        case open
        /// The last message is queued, or being written.
        case leaving
        case closed
    }

    let id: ConnectionID
    let loop: ServerLoop
    let transport: SessionTransport
    /// What it uses of the limits of its address or its user.
    @exclusivity(unchecked) var usage: AccountUse
    /// Its index in the list of sessions, and whether it is on the list of those that have output.
    var index = 0
    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each transaction or delivery.
    @exclusivity(unchecked) var isDirty = false
    /// The memory that it uses in all rooms, and the part of that for input and output here.
    @exclusivity(unchecked) var holder: Holder
    let charge: Charge
    @exclusivity(unchecked) var principal = Principal.nobody

    @exclusivity(unchecked) var phase = Phase.greeting
    @exclusivity(unchecked) var features: Features = []
    @exclusivity(unchecked) var memberships: [SessionMembership] = []
    /// Rooms that have removed it because they changed, the latest last. Its transactions there are
    /// rejected until it joins again.
    var changedRooms: [RoomHandle] = []
    /// The rooms where the trail has it, if it is a visitor.
    var visited = VisitedRooms()
    /// Its joins in flight.
    var joining: [JoinUnderWay] = []
    /// Unanswered requests, and the loop that answers each.
    var requests: [RequestID: Int] = [:]

    /// How many of its tasks are pending, in its rooms or on the way there, without joins and
    /// requests.
    @exclusivity(unchecked) var tasksUnderWay = 0

    let opened: UInt64
    @exclusivity(unchecked) var inbox: Inbox
    @exclusivity(unchecked) var outbox: Outbox

    /// How many bytes of answers may be queued before reading pauses.
    static let maximumUnchanneledBytes = 256 << 10
    /// How many bytes of transactions may be unanswered in a room.
    static let maximumUnansweredBytes = 16 << 20
    /// How many tasks may be pending.
    static let maximumTasks = 64
    /// How many bytes of input a record of a layered stream counts as at least.
    static let bytesOfRecord = 512
    /// How many steps a connection may take at once: when input arrives, when others wait, too, and
    /// when very many wait.
    static let stepsPerRead = 2048
    static let stepsPerTurn = 512
    static let leastStepsPerTurn = 32
    /// A frame that arrives more slowly than this for long times out.
    static let leastFrameBytesPerSecond: UInt64 = 32 << 10
    /// How long the other side may take to read the last message and close.
    static let lingerMilliseconds: UInt64 = 1000

    /// - Parameters:
    ///   - usage: its places, and the account of its usage.
    init(_ transport: SessionTransport, using usage: AccountUse, on loop: ServerLoop) {
        id = loop.makeSessionID()
        self.loop = loop
        self.transport = transport
        opened = loop.listenedMilliseconds
        self.usage = usage
        holder = Holder(
            in: loop.context.pots, within: usage.account?.holder,
            limits: loop.configuration.holderLimits)
        charge = Charge(in: holder.connection, as: .connections, on: loop.tally)
        inbox = Inbox(
            maximumFrameBytes: min(
                loop.configuration.wire.clientFrameBytes, MessageDecoder.helloBytes),
            at: opened)
        outbox = Outbox(at: loop.loop.nowMilliseconds)
    }

    var stream: any ByteStream { transport.stream }
    var kind: ConnectionKind? { transport.kind }
    var configuration: ServerConfiguration { loop.configuration }
    /// Its address, for logs: the one that a proxy names, if there is a proxy.
    var peer: String { usage.peer }
    /// The user that it has signed in as; empty if it has not.
    var user: UserName { usage.user }

    /// Pauses or resumes reading.
    func pauseReading(_ isPaused: Bool) {
        inbox.isPaused = isPaused
        stream.isReadingPaused = isPaused
    }

    func membership(_ handle: RoomHandle) -> Int? {
        memberships.firstIndex { $0.handle == handle }
    }

    /// Whether it is in a room. If not, the request is refused.
    func isIn(_ handle: RoomHandle, asking subject: ErrorSubject) -> Bool {
        if membership(handle) != nil { return true }
        refuse(subject, .unknownRoom)
        return false
    }

    /// Queues a task in a room that it is in. When it leaves, its pending tasks are dropped.
    func ask(
        _ kind: RoomTask.Kind, of handle: RoomHandle,
        _ perform: @escaping @Sendable (RoomHost) -> Void
    ) {
        tasksUnderWay += 1
        let id = id
        loop.on(loop.loopIndex(of: handle)) { loop in
            let whenOver = { loop.onConnection(id) { $0.taskIsOver() } }
            guard let host = loop.hosts[handle] else { return whenOver() }
            host.add(
                RoomTask(
                    kind, for: id,
                    perform: { room in
                        if let host = loop.hosts[room.handle] { perform(host) }
                    },
                    whenOver: whenOver))
        }
    }

    func taskIsOver() {
        tasksUnderWay -= 1
        if inbox.mayHaveInput { loop.flush(self) }
    }

    // MARK: Closing

    /// Sends an error about the connection, and closes it.
    func fail(_ code: ErrorCode, _ text: String) {
        guard phase == .greeting || phase == .open else { return }
        loop.context.log.log(
            .info, "closing a connection", ["peer": peer, "why": text])
        send(.error(ErrorMessage(code, text)))
        leave()
    }

    /// Drops further input, and closes when the output is written.
    func leave() {
        guard phase == .greeting || phase == .open else { return }
        phase = .leaving
        inbox.buffered = []
        inbox.early = nil
        // Further input is read and dropped: a close with unread input would discard the last
        // message from the system's buffers.
        pauseReading(false)
        leaveRooms()
        loop.flush(self)
        loop.schedule(afterMilliseconds: 5 * Session.lingerMilliseconds) { [weak self] in
            self?.stream.close()
        }
    }

    /// Gives the other side a moment to read the last message, which is written now. If the other
    /// side then closes the connection, as usual, it ends at once.
    func linger() {
        stream.finishWriting()
        loop.schedule(afterMilliseconds: Session.lingerMilliseconds) { [weak self] in
            self?.stream.close()
        }
    }

    func streamDidClose(_ error: IOError?) {
        loop.perform(.closing) { end(error) }
    }

    private func end(_ error: IOError?) {
        phase = .closed
        leaveRooms()
        outbox.removeAll()
        loop.connections.remove(self)
        countMemory()
        if !transport.isWithinConnection { loop.connectionDidEnd() }
        usage = AccountUse(of: peer)
        loop.context.log.log(
            .debug, "a connection is closed",
            ["peer": peer, "why": error?.description ?? "it ended"])
        loop.reportIfEmpty()
    }

    func leaveRooms() {
        let id = id
        usage.releaseRooms(memberships.count)
        for membership in memberships {
            loop.onRoom(membership.handle) { $0.leave(id) }
            noteLeaving(membership.room)
        }
        memberships = []
        for room in visited.takeAll() { note(.leave, in: room) }
        for join in joining {
            loop.on(loop.loopIndex(of: join.room)) { $0.cancel(join.room, id) }
        }
        joining = []
        for (request, target) in requests.sorted(by: { $0.key < $1.key }) {
            let key = feedKey(request)
            loop.on(target) { $0.drop(key) }
        }
        requests = [:]
    }
}

struct SessionMembership {
    let handle: RoomHandle
    let room: RoomName
    let id: MembershipID
    var role: Role
    /// The request of its join.
    let join: RequestID
    /// Transactions that were sent there and not answered.
    var unanswered = 0
    /// Bytes that were sent there since no transaction was unanswered.
    var unansweredBytes = 0
}
