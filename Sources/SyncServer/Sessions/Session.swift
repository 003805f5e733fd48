import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncWire

/// A connection: from the hello to the last byte.
///
/// It owns the stream, what has come of a frame, what is to be written next, and what it knows of
/// the rooms it is in: which loop they are on and how much is unanswered there.
///
/// Invariants:
/// 1. One write is in flight at most, and nothing waits behind it but answers, one delivery for
///    each channel, and a few words about the connection.
/// 2. It is not read while a room has as many transactions of it as may be unanswered, while many
///    bytes wait to be written, or while much else waits for its rooms: so all of invariant 1 is
///    bounded, whatever the other side does. Nor is it read while it has taken its part of a turn.
/// 3. After the last word (``fail(_:_:)``) nothing that comes is heard.
final class Session: ByteStreamHandler, ClientConnection {
    enum Phase {
        case greeting
        case open
        /// The last word is said, or being written.
        case leaving
        case closed
    }

    let id: ConnectionID
    let loop: ServerLoop
    let stream: any ByteStream
    /// The other side's address, for logs: what a proxy says, where one does.
    var peer: String
    /// What it has and does of its address's limits.
    @exclusivity(unchecked) var address: AddressUse
    /// Its place among the sessions, and whether it is on the list of those that have something to
    /// say.
    var index = 0
    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each transaction or delivery.
    @exclusivity(unchecked) var isDirty = false
    /// What it holds, in all rooms, and of that what comes and goes here.
    @exclusivity(unchecked) var holder: Holder
    let charge: Charge
    /// As whom it has signed in; empty if it has not.
    @exclusivity(unchecked) var user = ""

    @exclusivity(unchecked) var phase = Phase.greeting
    @exclusivity(unchecked) var features: Features = []
    @exclusivity(unchecked) var memberships: [SessionMembership] = []
    /// Rooms that have put it out because they changed, the latest last. What it still sends there
    /// is refused until it joins again.
    var changedRooms: [RoomHandle] = []
    /// The rooms that it is about to be in.
    var joining: [JoinUnderWay] = []
    /// Requests that were not answered, and the loop that is to answer.
    var requests: [RequestID: Int] = [:]

    /// How many tasks it has on their way to its rooms, or waiting there, beside joins and
    /// requests.
    @exclusivity(unchecked) var tasksUnderWay = 0

    let opened: UInt64
    @exclusivity(unchecked) var inbox: Inbox
    @exclusivity(unchecked) var outbox: Outbox

    /// So many bytes of answers may wait before reading pauses.
    static let maximumUnchanneledBytes = 256 << 10
    /// So many bytes of transactions may be unanswered in a room.
    static let maximumUnansweredBytes = 16 << 20
    /// So many tasks may be on their way to rooms, or wait there.
    static let maximumTasks = 64
    /// So many steps one connection may take at once, as messages come, and when others wait, too;
    /// and so many where very many wait.
    static let stepsPerRead = 2048
    static let stepsPerTurn = 512
    static let leastStepsPerTurn = 32
    /// No hello is longer than this.
    static let maximumHelloBytes = 64 << 10
    /// A frame that comes more slowly than this for long is given up.
    static let leastFrameBytesPerSecond: UInt64 = 32 << 10
    /// How long the other side may take to read the last word and close.
    static let lingerMilliseconds: UInt64 = 1000

    /// - Parameters:
    ///   - account: its address's; `nil` if that is trusted.
    ///   - places: its places among the connections of the server, and of its address.
    init(
        _ stream: any ByteStream, of account: AddressAccount?, places: [Charge],
        on loop: ServerLoop
    ) {
        id = loop.makeSessionID()
        self.loop = loop
        self.stream = stream
        peer = stream.peer
        opened = loop.heardMilliseconds
        address = AddressUse(account, places: places)
        holder = Holder(
            in: loop.context.pots, within: account?.holder, limits: loop.configuration.holderLimits)
        charge = Charge(in: holder.connection, as: .connections, on: loop.tally)
        inbox = Inbox(
            maximumFrameBytes: min(
                loop.configuration.wire.clientFrameBytes, Session.maximumHelloBytes),
            at: opened)
        outbox = Outbox(at: loop.loop.nowMilliseconds)
    }

    var configuration: ServerConfiguration { loop.configuration }

    /// Leaves what comes with the system, or hears it again.
    func pauseReading(_ isPaused: Bool) {
        inbox.isPaused = isPaused
        stream.isReadingPaused = isPaused
    }

    /// With whom it shares what it may do in a turn: its address, or nobody if that is trusted.
    var owner: ObjectIdentifier {
        address.account.map { ObjectIdentifier($0) } ?? ObjectIdentifier(self)
    }

    func membership(_ handle: RoomHandle) -> Int? {
        memberships.firstIndex { $0.handle == handle }
    }

    /// Whether it is in a room; if not, it is told so about what it asks for there.
    func isIn(_ handle: RoomHandle, asking subject: ErrorSubject) -> Bool {
        if membership(handle) != nil { return true }
        refuse(subject, .unknownRoom)
        return false
    }

    /// Has something done in a room that it is in, when its turn has come there. What it still
    /// waits for when it leaves is not done.
    func ask(
        _ kind: RoomTask.Kind, of handle: RoomHandle,
        _ perform: @escaping @Sendable (RoomHost) -> Void
    ) {
        tasksUnderWay += 1
        let id = id
        loop.on(loop.loopIndex(of: handle)) { loop in
            let whenOver = { loop.tell(id) { $0.taskIsOver() } }
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
        if inbox.isPutOff { loop.flush(self) }
    }

    // MARK: The end

    /// Says what is wrong with the connection, and closes it.
    func fail(_ code: ErrorCode, _ text: String) {
        guard phase == .greeting || phase == .open else { return }
        loop.context.log.log(
            .info, "closing a connection", ["peer": peer, "why": text])
        say(.error(ErrorMessage(code, text)))
        leave()
    }

    /// Hears nothing more, and closes when what is to be written has been.
    func leave() {
        guard phase == .greeting || phase == .open else { return }
        phase = .leaving
        inbox.held = []
        inbox.early = nil
        // What still comes is read, and dropped: a close with unread input would take the last word
        // back from the system's buffers.
        pauseReading(false)
        leaveRooms()
        loop.flush(self)
        loop.schedule(afterMilliseconds: 5 * Session.lingerMilliseconds) { [weak self] in
            self?.stream.close()
        }
    }

    /// When the last word is written: gives the other side a moment to read it. One that then ends
    /// the connection itself, as usual, ends it at once.
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
        loop.connectionDidEnd()
        address = AddressUse(nil, places: [])
        loop.context.log.log(
            .debug, "a connection is closed",
            ["peer": peer, "why": error?.description ?? "it ended"])
        if loop.connections.sessions.isEmpty {
            loop.drain.whenEmpty?()
            loop.drain.whenEmpty = nil
        }
    }

    private func leaveRooms() {
        let id = id
        address.giveRoomsBack(memberships.count)
        for membership in memberships { loop.reach(membership.handle) { $0.leave(id) } }
        memberships = []
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
    /// The request of its join.
    let join: RequestID
    /// Transactions that were sent there and not answered.
    var unanswered = 0
    /// Bytes that were sent there since nothing was unanswered.
    var unansweredBytes = 0
}
