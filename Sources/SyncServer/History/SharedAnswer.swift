import SyncBytes
import SyncRoom
import SyncWire

/// What several requests ask for alike: a room at a revision, or one batch between two. It is made once, and
/// stays in memory until all who asked have taken it.
///
/// It lives on the loop of its room.
final class SharedAnswer {
    let goal: Excavation.Goal
    private let host: RoomHost
    private var loop: ServerLoop { host.loop }
    private var frames: [EncodedFrame]?
    private var plainByteCount = 0
    private var charge: AnswerCharge?
    private var feeds: [FeedKey: RequestFeed] = [:]
    /// Those that asked before it was there and did not get it yet; the last one is next.
    private var ungiven: [FeedKey] = []
    /// Stops what makes it; called when nobody wants it any more.
    var stop: (() -> Void)?

    init(_ goal: Excavation.Goal, of host: RoomHost, for reader: FeedKey) {
        self.goal = goal
        self.reader = reader
        self.host = host
    }

    var isWanted: Bool { !feeds.isEmpty }

    /// Who asked first, at whose expense it is made.
    let reader: FeedKey

    /// Whether somebody who asks can inflate.
    var deflates: Bool { feeds.keys.contains(where: \.readsDeflated) }

    func add(_ feed: RequestFeed) {
        feeds[feed.key] = feed
        let key = feed.key
        feed.addWhenGone { [self] in remove(key) }
        if let frames { give(frames, to: feed) }
    }

    func finish(_ frames: [EncodedFrame]) {
        stop = nil
        plainByteCount = frames.reduce(0) { $0 + $1.plain.count }
        let byteCount = frames.reduce(0) { $0 + $1.byteCount(deflated: deflates) }
        charge = AnswerCharge(byteCount, for: reader, on: loop)
        guard charge != nil else { return fail(.tooManyAnswers) }
        self.frames = frames
        ungiven = feeds.keys.sorted(by: >)
        giveSome()
    }

    /// Gives it to those who asked, as many in a turn as it suffices for.
    private func giveSome() {
        while loop.budget.left > 0, let key = ungiven.popLast() {
            guard let frames, let feed = feeds[key] else { continue }
            loop.budget.spend(WorkCost.readDelivery.steps())
            give(frames, to: feed)
        }
        if !ungiven.isEmpty { loop.read(1, for: JobOwner(reader.holder)) { [self] in giveSome() } }
    }

    /// Takes what was found in the log, which may have become another room's while it was read.
    ///
    /// - Parameter origin: what the goal was of when the reading began.
    func take(_ finding: Result<Excavation.Found, RoomRefusal>, of origin: Origin?) {
        switch finding.checked(host.refusal(ofReading: goal.until, origin)) {
        case .success(let found): finish(found.frames)
        case .failure(let refusal): fail(refusal)
        }
    }

    func fail(_ refusal: RoomRefusal) {
        stop = nil
        for (_, feed) in feeds.sorted(by: { $0.key < $1.key }) { feed.fail(refusal) }
    }

    /// What a connection has of all that it asked for is bounded, too: but for the first, however large it is.
    private func give(_ frames: [EncodedFrame], to feed: RequestFeed) {
        let holder = feed.key.holder
        guard let charge = holder.takeAnswer(plainByteCount) else {
            return feed.fail(.tooMuchAsked(by: holder))
        }
        feed.addWhenGone { withExtendedLifetime(charge) {} }
        self.charge?.add(feed.key)
        feed.add(frames, isLast: true)
    }

    private func remove(_ key: FeedKey) {
        guard feeds.removeValue(forKey: key) != nil else { return }
        guard feeds.isEmpty else {
            charge?.remove(key)
            return
        }
        if host.answers[goal] === self { host.answers[goal] = nil }
        stop?()
        stop = nil
        charge = nil
    }
}

extension FeedKey: Comparable {
    static func < (left: FeedKey, right: FeedKey) -> Bool {
        (left.session.value, left.request) < (right.session.value, right.request)
    }
}
