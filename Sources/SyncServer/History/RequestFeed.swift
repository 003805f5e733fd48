import SyncBytes
import SyncRoom
import SyncWire

/// A request of a connection, and the encoding and the holder of its answer.
struct FeedKey: Hashable, Sendable {
    let session: ConnectionID
    let request: RequestID
    let encoding: FrameEncoding
    let holder: Holder

    static func == (left: FeedKey, right: FeedKey) -> Bool {
        left.session == right.session && left.request == right.request
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(session)
        hasher.combine(request)
    }
}

/// Sends a span to a request, as fast as its connection takes it.
///
/// It belongs to the loop of the requested room. It makes a delivery when the one before was taken.
/// Only the head of each frame is made for one request; requests share the rest.
final class RequestFeed {
    let key: FeedKey
    private unowned let loop: ServerLoop
    private let shared: SharedSpan
    /// The room that is read, which stays open meanwhile; `nil` for a list of rooms, whose last
    /// frame marks its end.
    private let host: RoomHost?
    private var feed: Feed
    /// Its memory beside the span.
    private let charge: Charge
    /// The answer's bytes that count for its connection, from the first delivery on.
    private var answer: Charge?
    private var isReady = true
    private var isWaitingForTurn = false
    /// Whether it is cancelled or done.
    private var isGone = false
    /// A delivery that begins with a frame of so many bytes is little work.
    private static let smallBytes = 16 << 10
    /// About how many bytes it uses, with its entry in the ``SharedSpan``.
    private static let ownBytes = 1024

    init(_ key: FeedKey, of shared: SharedSpan, from host: RoomHost? = nil, on loop: ServerLoop) {
        self.key = key
        self.shared = shared
        self.host = host
        self.loop = loop
        feed = Feed(shared.span)
        charge = Charge(in: key.holder.memory, as: .reads, on: loop.tally)
        charge.change(to: RequestFeed.ownBytes)
    }

    func begin() {
        loop.reads.feeds[key] = self
        host?.feedCount += 1
        shared.add(self)
    }

    var hasMore: Bool { feed.hasNext || feed.isAtEnd }
    /// How many chunks it has taken.
    var takenCount: Int { feed.next }

    func fail(_ refusal: RoomRefusal) {
        finish(.error(refusal.message(about: .request(key.request))))
    }

    func ready() {
        isReady = true
        pump()
    }

    /// Schedules the next delivery, if the connection can take one. If no content is left, more is
    /// made then.
    func pump() {
        guard isReady, !isWaitingForTurn else { return }
        isWaitingForTurn = true
        loop.agenda.feeds.add(
            self, of: ObjectIdentifier(key.holder),
            isSmall: feed.nextBytes <= RequestFeed.smallBytes)
        loop.askForTurnEnd()
    }

    /// Makes the delivery, in its turn.
    func pumpNow() {
        isWaitingForTurn = false
        guard isReady, !isGone else { return }
        loop.budget.spend(WorkCost.readDelivery.steps())
        guard feed.hasNext else {
            if !feed.isAtEnd { return shared.more?() ?? () }
            return finish(host == nil ? nil : .done(Done(request: key.request)))
        }
        if answer == nil { answer = key.holder.takeAnswer(shared.answerBytes) }
        guard answer != nil else { return fail(.tooMuchAsked(by: key.holder)) }
        isReady = false
        let encoder = loop.codec.encoder(in: key.encoding)
        let frames = feed.take(atMost: Room.deliveryBytes, in: [key.encoding])
        let (key, home) = (key, loop.index)
        let parts = frames.map { $0.bytes(by: encoder) }
        loop.on(key.session.loopIndex) { loop in
            if let connection = loop.connections[key.session], connection.awaits(key.request) {
                connection.take(parts, of: .request(key.request))
            } else {
                // The request ended before there was anything to send.
                loop.on(home) { $0.removeFeed(key) }
            }
        }
    }

    private func finish(_ message: ServerMessage?) {
        loop.removeFeed(key)
        let key = key
        loop.onConnection(key.session) { $0.finish(key.request, with: message) }
    }

    /// Drops the references that retain it.
    func abandon() {
        isGone = true
        shared.abandon()
    }

    /// Releases what it uses, as nothing is sent any more.
    fileprivate func end() {
        isGone = true
        answer = nil
        shared.remove(key)
        host?.feedCount -= 1
        host?.checkIdle()
    }
}

extension ServerLoop {
    func finish(_ key: FeedKey, with message: ServerMessage) {
        onConnection(key.session) { $0.finish(key.request, with: message) }
    }

    func fail(_ key: FeedKey, _ refusal: RoomRefusal) {
        finish(key, with: .error(refusal.message(about: .request(key.request))))
    }

    func feedIsReady(_ key: FeedKey) {
        reads.feeds[key]?.ready()
    }

    /// Drops a request whose connection is closed. All others of that connection are dropped, too.
    func drop(_ key: FeedKey) {
        if let name = reads.waiting.removeValue(forKey: key), let host = hosts[name] {
            host.room.dropReads(of: key.session)
            host.cancelOpening()
        }
        removeFeed(key)
    }

    func removeFeed(_ key: FeedKey) {
        reads.feeds.removeValue(forKey: key)?.end()
    }
}
