import SyncBytes
import SyncRoom
import SyncWire

/// A request of a connection, and how it reads the answer.
struct FeedKey: Hashable, Sendable {
    let session: MemberID
    let request: RequestID
    let readsDeflated: Bool
    /// Who asks.
    let holder: Holder

    static func == (left: FeedKey, right: FeedKey) -> Bool {
        left.session == right.session && left.request == right.request
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(session)
        hasher.combine(request)
    }
}

/// The frames that answer a request, sent as fast as the connection takes them.
///
/// It lives on the loop of the room that is asked for. A delivery is made when the one before was taken. The
/// frames may be those of others too: what is made for a request is a head for each of them. Where the source
/// makes them little by little, it is asked for more only when all is sent.
final class RequestFeed {
    let key: FeedKey
    private unowned let loop: ServerLoop
    /// What it takes beside the frames.
    private let charge: Charge
    private var frames: ArraySlice<EncodedFrame> = []
    private var isComplete = false
    private var isReady = true
    private var isAsking = false
    private var isWaitingForTurn = false
    /// Whether nobody wants it any more, or it is done.
    private var isGone = false
    /// A delivery that begins with a frame of so many bytes is little work.
    private static let smallBytes = 16 << 10
    /// Whether ``Done`` follows the last frame, which else says itself that it is the last.
    var endsWithDone = true
    /// Makes the next frames, and calls ``add(_:isLast:)`` or ``fail(_:)``, now or later.
    var more: (() -> Void)?
    /// Called once, when it is done or nobody wants it any more.
    var whenGone: (() -> Void)?

    init(_ key: FeedKey, on loop: ServerLoop) {
        self.key = key
        self.loop = loop
        charge = Charge(in: key.holder.memory, as: .reads, on: loop.tally)
        charge.change(to: RequestFeed.ownBytes)
    }

    /// About; with what is kept of it where the answer is made.
    private static let ownBytes = 1024

    func add(_ frames: [EncodedFrame], isLast: Bool) {
        // What was sent is not held beside what comes.
        if self.frames.isEmpty { self.frames = frames[...] } else { self.frames += frames }
        isComplete = isLast
        isAsking = false
        pump()
    }

    func fail(_ refusal: RoomRefusal) {
        finish(
            .error(ErrorMessage(refusal.code, refusal.text, channel: .request(key.request))))
    }

    func ready() {
        isReady = true
        pump()
    }

    /// Has what there is sent in its turn, if the connection can take it, or sees that there is more.
    func pump() {
        guard isReady, !isWaitingForTurn else { return }
        isWaitingForTurn = true
        let bytes = frames.first?.plain.count ?? 0
        loop.agenda.feeds.add(
            self, of: ObjectIdentifier(key.holder), isSmall: bytes <= RequestFeed.smallBytes)
        loop.askForTurnEnd()
    }

    /// Does that, as it is its turn.
    func pumpNow() {
        isWaitingForTurn = false
        guard isReady, !isGone else { return }
        loop.budget.spend(WorkCost.readDelivery.steps())
        if frames.isEmpty {
            if isComplete { return finish() }
            if isAsking { return }
            isAsking = true
            more?()
            return
        }
        var bytes = 0
        var parts: [SharedBytes] = []
        while let frame = frames.first,
            parts.isEmpty || bytes + frame.plain.count <= Room.deliveryBytes
        {
            bytes += frame.plain.count
            parts += frame.parts(
                answering: key.request, deflatedBy: key.readsDeflated ? loop.codec.deflater : nil)
            frames = frames.dropFirst()
        }
        isReady = false
        let (key, delivered, home) = (key, parts, loop.index)
        loop.on(key.session.loopIndex) { loop in
            if let connection = loop.connections[key.session], connection.awaits(key.request) {
                connection.take(delivered, of: .request(key.request))
            } else {
                // It went before there was anything to send.
                loop.on(home) { $0.removeFeed(key) }
            }
        }
    }

    private func finish() {
        if endsWithDone { return finish(.done(Done(request: key.request))) }
        loop.removeFeed(key)
        let key = key
        loop.tell(key.session) { $0.finish(key.request, with: nil) }
    }

    private func finish(_ message: ServerMessage) {
        loop.removeFeed(key)
        loop.finish(key, with: message)
    }
}

extension ServerLoop {
    func finish(_ key: FeedKey, with message: ServerMessage) {
        tell(key.session) { $0.finish(key.request, with: message) }
    }

    func fail(_ key: FeedKey, _ refusal: RoomRefusal) {
        finish(
            key,
            with: .error(
                ErrorMessage(refusal.code, refusal.text, channel: .request(key.request))))
    }

    func feedIsReady(_ key: FeedKey) {
        feeds[key]?.ready()
    }

    /// Drops a request whose connection has left: all others of that connection are dropped, too.
    func drop(_ key: FeedKey) {
        if let name = reading.removeValue(forKey: key), let host = hosts[name] {
            host.room.dropReads(of: key.session)
            host.cancelOpening()
        }
        removeFeed(key)
    }

    func removeFeed(_ key: FeedKey) {
        guard let feed = feeds.removeValue(forKey: key) else { return }
        feed.end()
    }

    /// Begins to answer a request.
    func beginFeed(_ key: FeedKey) -> RequestFeed {
        let feed = RequestFeed(key, on: self)
        feeds[key] = feed
        return feed
    }

    /// Begins to answer a request from a room, which stays open meanwhile.
    func beginFeed(_ key: FeedKey, from host: RoomHost) -> RequestFeed {
        let feed = beginFeed(key)
        host.feedCount += 1
        feed.whenGone = {
            host.feedCount -= 1
            host.checkIdle()
        }
        return feed
    }
}

extension RequestFeed {
    /// Lets go of what it was made of, as nothing will be sent any more.
    fileprivate func end() {
        isGone = true
        more = nil
        whenGone?()
        whenGone = nil
    }

    /// Forgets what refers to it.
    func abandon() {
        isGone = true
        more = nil
        whenGone = nil
    }

    /// Has something done, too, when it is gone.
    func addWhenGone(_ body: @escaping () -> Void) {
        let previous = whenGone
        whenGone = {
            body()
            previous?()
        }
    }
}
