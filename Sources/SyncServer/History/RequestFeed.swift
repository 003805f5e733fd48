import SyncBytes
import SyncRoom
import SyncWire

/// A request of a connection, and how it reads the answer.
struct FeedKey: Hashable, Sendable {
    let session: MemberID
    let request: RequestID
    let readsDeflated: Bool
}

/// The frames that answer a request, sent as fast as the connection takes them.
///
/// It lives on the loop of the room that is asked for. What it has in hand is bounded: its source is
/// asked for more only when all is sent.
final class RequestFeed {
    let key: FeedKey
    var channel: Channel { .request(key.request) }
    private unowned let loop: ServerLoop
    private var frames: ArraySlice<SharedBytes> = []
    private var isComplete = false
    private var isReady = true
    private var isAsking = false
    /// Makes the next frames, and calls ``add(_:isLast:)`` or ``fail(_:)``, now or later.
    var more: (() -> Void)?
    /// Called once, when it is done or nobody wants it any more.
    var whenGone: (() -> Void)?

    init(_ key: FeedKey, on loop: ServerLoop) {
        self.key = key
        self.loop = loop
    }

    func add(_ frames: [SharedBytes], isLast: Bool) {
        self.frames += frames
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

    /// Sends what there is, if the connection can take it, or sees that there is more.
    func pump() {
        guard isReady else { return }
        if frames.isEmpty {
            if isComplete { return finish(.done(Done(request: key.request))) }
            if isAsking { return }
            isAsking = true
            more?()
            return
        }
        var bytes = 0
        var parts: [SharedBytes] = []
        while let frame = frames.first,
            parts.isEmpty || bytes + frame.count <= Room.deliveryBytes
        {
            bytes += frame.count
            parts.append(frame)
            frames = frames.dropFirst()
        }
        isReady = false
        let key = key
        let delivered = parts
        loop.on(key.session.loopIndex) {
            $0.deliver(delivered, of: .request(key.request), to: key.session)
        }
    }

    private func finish(_ message: ServerMessage) {
        loop.removeFeed(key)
        loop.finish(key, with: message)
    }
}

extension ServerLoop {
    func finish(_ key: FeedKey, with message: ServerMessage) {
        on(key.session.loopIndex) { loop in
            loop.sessions[key.session]?.finish(key.request, with: message)
        }
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

    func removeFeed(_ key: FeedKey) {
        guard let feed = feeds.removeValue(forKey: key) else { return }
        feed.more = nil
        feed.whenGone?()
        feed.whenGone = nil
    }

    /// Begins to answer a request from a room, which stays open meanwhile.
    func beginFeed(_ key: FeedKey, from host: RoomHost) -> RequestFeed {
        let feed = RequestFeed(key, on: self)
        feeds[key] = feed
        host.feedCount += 1
        feed.whenGone = {
            host.feedCount -= 1
            host.checkIdle()
        }
        return feed
    }
}
