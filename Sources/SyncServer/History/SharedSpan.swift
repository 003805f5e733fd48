import SyncBytes
import SyncRoom
import SyncWire

/// A span that requests share, with its readers and its memory.
///
/// Its bytes, in all encodings, are charged once: to the first request, and when that is done or
/// has no share left, to the next one that has. If none has a share left, all of them fail. It
/// belongs to the loop of its readers, and lives until the last one is done.
final class SharedSpan {
    let span: Span
    private unowned let loop: ServerLoop
    private let place: Charge
    private let memory: Charge
    /// Its readers. `line[first...]` has their keys in the order of the requests, and keys of
    /// readers that have finished.
    private var readers: [FeedKey: RequestFeed] = [:]
    private var line: [FeedKey] = []
    private var first = 0
    private var payer: FeedKey
    /// Whether the requests that still read it are being refused.
    private var hasFailed = false
    /// The encodings of its readers.
    private(set) var encodings: [FrameEncoding]
    /// Whether no chunk was dropped, so that others may read it, too.
    private(set) var isWhole = true
    /// Makes more content, if that is not pending.
    var more: (() -> Void)?
    /// Called once, when nobody reads it any more.
    var whenUnread: (() -> Void)?

    private static let spareEntries = 16

    init(_ span: Span, for key: FeedKey, on loop: ServerLoop) {
        self.span = span
        self.loop = loop
        payer = key
        encodings = [key.encoding]
        place = Charge(in: key.holder.readBytes)
        memory = Charge(in: key.holder.memory, as: .reads, on: loop.tally)
    }

    var isWanted: Bool { !readers.isEmpty }
    /// Whether it has only one reader.
    var isLone: Bool { readers.count == 1 }
    /// Bytes of its chunks, in all encodings.
    var byteCount: Int { span.byteCount(in: encodings) }

    /// How many bytes count for a connection that reads it. The first part may be short, and those
    /// that are still to be made fill deliveries.
    var answerBytes: Int {
        max(span.byteCount, span.isComplete ? 0 : Room.deliveryBytes)
    }

    // MARK: Memory

    /// Reserves the memory for the whole span, if that is within the share of one of its readers.
    /// The server's only answer may have any size within the memory limit.
    func reserve(_ bytes: Int) -> Bool {
        if take(bytes) { return true }
        var refused = payer.holder.top
        for key in line[first...] where readers[key] != nil && key.holder.top !== refused {
            pay(key)
            if take(bytes) { return true }
            refused = key.holder.top
        }
        return false
    }

    private func pay(_ key: FeedKey) {
        payer = key
        place.move(to: key.holder.readBytes)
        memory.move(to: key.holder.memory)
    }

    private func take(_ bytes: Int) -> Bool {
        let former = place.count
        if loop.context.pots.readBytes.used == former {
            place.change(to: bytes)
        } else if !place.reserve(bytes) {
            return false
        }
        if memory.reserve(bytes) { return true }
        place.change(to: former)
        return false
    }

    /// Reserves the memory for the next part, if the span is made as fast as its only reader takes
    /// it.
    func reservePart() -> Bool {
        place.count >= Room.deliveryBytes || reserve(Room.deliveryBytes)
    }

    /// Reserves memory for so many bytes beside those that there are. What was reserved already is
    /// used first.
    func reserveMore(_ bytes: Int) -> Bool {
        let all = byteCount + bytes
        return all <= place.count || reserve(all)
    }

    /// Drops the chunks that all its readers have taken. Their memory stays reserved for what
    /// follows. Returns whether there were any.
    @discardableResult
    func dropTaken() -> Bool {
        guard span.drop(before: readers.values.map(\.takenCount).min() ?? 0) else { return false }
        isWhole = false
        return true
    }

    /// Counts the chunks alone, as no more are made.
    func releaseReserve() { count(byteCount) }

    private func count(_ bytes: Int) {
        place.change(to: bytes)
        memory.change(to: bytes)
    }

    // MARK: Content

    /// Adds frames whose memory is reserved.
    func add(_ frames: [EncodedFrame], isLast: Bool) {
        span.add(frames, isLast: isLast)
        loop.budget.spend(WorkCost.delivery.steps(readers.count))
        for key in line[first...] { readers[key]?.pump() }
    }

    /// Adds the next part of a span that is made as fast as its only reader takes it. A single
    /// revision may be larger than what was reserved.
    func addPart(_ frames: [EncodedFrame], isLast: Bool) {
        add(frames, isLast: isLast)
        count(max(Room.deliveryBytes, byteCount))
    }

    func fail(_ refusal: RoomRefusal) {
        hasFailed = true
        for key in Array(line[first...]) { readers[key]?.fail(refusal) }
    }

    // MARK: Readers

    func add(_ feed: RequestFeed) {
        let key = feed.key
        if line.count > 2 * readers.count + SharedSpan.spareEntries {
            line = line[first...].filter { readers[$0] != nil }
            first = 0
        }
        readers[key] = feed
        line.append(key)
        if !encodings.contains(key.encoding) {
            encodings.append(key.encoding)
            if memory.count > 0 {
                count(max(place.count, byteCount))
            }
        }
        if feed.hasMore { feed.pump() } else { more?() }
    }

    func remove(_ key: FeedKey) {
        guard readers.removeValue(forKey: key) != nil else { return }
        guard isWanted else {
            more = nil
            whenUnread.take()?()
            return
        }
        guard key == payer, !hasFailed else { return }
        while first < line.count, readers[line[first]] == nil { first += 1 }
        guard first < line.count else { return }
        let bytes = place.count
        place.change(to: 0)
        memory.change(to: 0)
        pay(line[first])
        if !reserve(bytes) { fail(.tooManyAnswers) }
    }

    /// Drops the references that retain it.
    func abandon() {
        more = nil
        whenUnread = nil
        readers = [:]
    }
}

extension Holder {
    /// Charges a connection for an answer that it has requested.
    ///
    /// - Returns: the charge, to keep until the answer is taken; `nil` if it exceeds a limit and is
    ///   not the only answer.
    func takeAnswer(_ bytes: Int) -> Charge? {
        let charge = Charge(in: answers)
        charge.change(to: bytes)
        let used = answers.used
        let isWithinLimits =
            !answers.isOverLimit
            && used <= connection.limit - min(connection.used, connection.limit)
        return used == bytes || isWithinLimits ? charge : nil
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
                "this connection has asked for \(holder.answers.used) bytes that it did not take yet"
        )
    }
}
