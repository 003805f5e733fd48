import SyncBytes
import SyncRoom
import SyncWire

/// A span that requests share, those that read it, and what it takes.
///
/// Its bytes are charged once, with all encodings: to the request that asked first, and when that has them, to the next
/// one. It lives on the loop of those who read it, until the last one is done.
final class SharedSpan {
    let span: Span
    private unowned let loop: ServerLoop
    private let place: Charge
    private let memory: Charge
    /// Who reads it, and all of them in the order in which they asked, with some who have done.
    private var readers: [FeedKey: RequestFeed] = [:]
    private var line: [FeedKey] = []
    /// Who pays.
    private var first = 0
    /// Whether somebody who reads it can inflate.
    private(set) var isDeflated: Bool
    /// Makes more, if that is not under way. It is told how many chunks were taken by who asks.
    var more: ((Int) -> Void)?
    /// Called once, when nobody reads it any more.
    var whenUnread: (() -> Void)?

    private static let keptPlaces = 16

    /// - Parameter key: who asks first.
    init(_ span: Span, for key: FeedKey, on loop: ServerLoop) {
        self.span = span
        self.loop = loop
        isDeflated = key.readsDeflated
        place = Charge(in: key.holder.readBytes)
        memory = Charge(in: key.holder.memory, as: .reads, on: loop.tally)
    }

    var isWanted: Bool { !readers.isEmpty }

    // MARK: What it takes

    /// Sets aside what it takes in all, if that is within its holder's share, or it is the only one there is.
    func reserve(_ bytes: Int) -> Bool {
        // What it has is no less free for it.
        let former = place.count
        place.change(to: 0)
        if loop.context.pots.readBytes.held == 0 {
            place.change(to: bytes)
        } else if !place.reserve(bytes) {
            place.change(to: former)
            return false
        }
        memory.change(to: bytes)
        return true
    }

    /// Drops the chunks that its only reader has taken.
    func drop(before index: Int) {
        span.drop(before: index)
        memory.change(to: span.byteCount(deflated: isDeflated))
    }

    // MARK: Content

    /// Adds what was set aside for.
    func add(_ frames: [EncodedFrame], isLast: Bool) {
        span.add(frames, isLast: isLast)
        loop.budget.spend(WorkCost.delivery.steps(readers.count))
        for key in line[first...] { readers[key]?.pump() }
    }

    /// Adds the next part of what is made as its only reader takes it. That is little, so it has to wait for nobody.
    func addPart(_ frames: [EncodedFrame], isLast: Bool) {
        add(frames, isLast: isLast)
        memory.change(to: span.byteCount(deflated: isDeflated))
    }

    func fail(_ refusal: RoomRefusal) {
        for key in Array(line[first...]) { readers[key]?.fail(refusal) }
    }

    // MARK: Readers

    func add(_ feed: RequestFeed) {
        let key = feed.key
        if line.count > 2 * readers.count + SharedSpan.keptPlaces {
            line = line[first...].filter { readers[$0] != nil }
            first = 0
        }
        readers[key] = feed
        line.append(key)
        if key.readsDeflated, !isDeflated {
            isDeflated = true
            if memory.count > 0 {
                let bytes = span.byteCount(deflated: true)
                memory.change(to: bytes)
                place.change(to: bytes)
            }
        }
        if feed.hasMore { feed.pump() } else { more?(0) }
    }

    func remove(_ key: FeedKey) {
        guard readers.removeValue(forKey: key) != nil else { return }
        guard isWanted else {
            more = nil
            whenUnread.take()?()
            return
        }
        guard key == line[first] else { return }
        while first < line.count, readers[line[first]] == nil { first += 1 }
        guard first < line.count else { return }
        place.move(to: line[first].holder.readBytes)
        memory.move(to: line[first].holder.memory)
    }

    /// Forgets what refers to it.
    func abandon() {
        more = nil
        whenUnread = nil
        readers = [:]
    }
}

extension Holder {
    /// Counts an answer that a connection has asked for.
    ///
    /// - Returns: what has it until it is taken; `nil` if that is too much, and not the only one.
    func takeAnswer(_ bytes: Int) -> Charge? {
        let charge = Charge(in: answers)
        charge.change(to: bytes)
        let held = answers.held
        let isWithinLimits =
            !answers.isOverLimit
            && held <= connection.limit - min(connection.held, connection.limit)
        return held == bytes || isWithinLimits ? charge : nil
    }
}

extension RoomRefusal {
    static let tooManyAnswers = RoomRefusal(
        code: .unavailable,
        text:
            "what you and others asked for and did not take is as much as you may have; try again in a while"
    )

    static func tooMuchAsked(by holder: Holder) -> RoomRefusal {
        RoomRefusal(
            code: .limitExceeded,
            text:
                "this connection has asked for \(holder.answers.held) bytes that it did not take yet"
        )
    }
}
