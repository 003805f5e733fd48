import SyncBytes
import SyncEngine
import SyncIO
import SyncModel
import SyncRoom
import SyncWire

/// Makes the content for a goal, for all requests with that goal.
///
/// A snapshot is encoded part by part, in many turns, by a walk of the live room. Items are read
/// piece by piece in the same way. A batch, or some
/// revisions, are encoded in one turn. Content that the room has forgotten, or that is too much for
/// a turn, is made from an image and the log, on a worker (``HistoryReplay``).
///
/// Requests share a snapshot or a batch while it is made, and until the last of them has taken it.
/// Other content belongs to one request. A history of each revision is made as fast as that takes
/// it.
///
/// A snapshot is made ``bytesAhead`` of those that read it. If only one does, what it has taken is
/// dropped: so a room of any size takes little memory. Whoever asks for the same meanwhile gets
/// another source, which keeps everything for those that follow.
///
/// It belongs to the loop of its room.
final class RevisionSource {
    private let goal: RevisionGoal
    private let host: RoomHost
    /// The room and epoch of the goal's last revision.
    private let origin: Origin?
    /// The first request, at whose expense the content is made.
    private let reader: FeedKey
    /// The memory of what the request names.
    private let charge: Charge?
    let shared: SharedSpan
    private var isUnderWay = false
    private var revision: Revision
    /// The walk of a snapshot, and the state that it walks. If the room was opened again, its state
    /// is another one.
    private var walk: SnapshotWalk?
    private weak var walked: RoomState?
    private var itemReading: ItemReading?
    /// Frames that are made and not added yet, and how many were added.
    private var frames: [EncodedFrame] = []
    private var addedCount = 0
    /// The bytes of all frames, without other encodings.
    private var byteCount = 0
    /// Whether what the only reader has taken is kept for others.
    private let keepsAll: Bool
    private var historyReplay: HistoryReplay?
    private var ticket: ReadSlots.Ticket?

    /// The cost of encoding a revision, in items of ``ServerLoop/read(_:for:_:)``.
    private static let costOfRevision = 16
    /// How many steps of a walk make a part at most: a step is 64 bytes, or less.
    private static let stepsOfPart = MessageEncoder.partBytes / 64
    /// The first part of a snapshot. It is encoded within the turn in which it is made, so that its
    /// reader has something soon, however busy the workers are.
    static let firstPartBytes = 4 << 10
    /// How many steps mostly make it. Short items take a step for 16 bytes, or more.
    private static let stepsOfFirstPart = firstPartBytes / 16
    /// As long as there are no more parts than these, nothing is dropped: others who ask for the
    /// same soon share it.
    private static let partsToShare = 2
    /// As long as a snapshot has fewer bytes than these in memory, more of it is made.
    private static let bytesAhead = 1 << 20
    /// How many bytes are encoded on the loop at most.
    private static let mostBytesEncoded = 16 << 10

    private var loop: ServerLoop { host.loop }
    private var mostItems: Int { loop.reads.mostItems }

    /// - Parameters:
    ///   - keepsAll: whether others may want what its first reader has taken.
    ///   - charge: the memory of what the request names.
    init(
        _ goal: RevisionGoal, of host: RoomHost, for reader: FeedKey, keepsAll: Bool = false,
        holding charge: Charge? = nil
    ) {
        self.goal = goal
        self.host = host
        self.reader = reader
        self.keepsAll = keepsAll
        self.charge = charge
        origin = host.room.identity.origin(of: goal.to)
        revision = goal.from
        let start = Span.Start(
            revision: goal.form == .batch || goal.form == .eachRevision ? goal.from : nil,
            everyRevision: goal.form == .eachRevision)
        shared = SharedSpan(Span(from: start, to: goal.to), for: reader, on: host.loop)
        shared.more = { [self] in makeMore() }
        shared.whenUnread = { [self] in end() }
    }

    private func makeMore() {
        if isUnderWay { return }
        isUnderWay = true
        switch goal.form {
        case .snapshot:
            if shared.isLone, !keepsAll, addedCount > RevisionSource.partsToShare {
                shared.dropTaken()
            }
            whenHere { [self] in walk(in: $0, items: 0) }
        case .items(let query):
            itemReading = ItemReading(
                query, at: goal.to, of: origin, partBytes: loop.configuration.wire.partBytes)
            whenHere { [self] in readItems(in: $0, steps: 0) }
        case .batch: whenHere { [self] in weighBatch(of: $0) }
        case .eachRevision:
            guard shared.reservePart() else { return shared.fail(.tooManyAnswers) }
            shared.dropTaken()
            whenHere { [self] in weighRevisions(of: $0) }
        case .image: break
        }
    }

    /// Calls `body` when the room's state is here, if the content is still wanted and the room is
    /// the same.
    private func whenHere(_ body: @escaping (Room) -> Void) {
        host.add(
            RoomTask(
                .read, for: nil,
                perform: { [self] room in
                    guard shared.isWanted else { return }
                    if let refusal = host.refusal(ofReading: goal.to, origin) {
                        return shared.fail(refusal)
                    }
                    guard room === host.room else { return shared.fail(.unavailable) }
                    body(room)
                },
                refuse: { [self] in shared.fail($0) }))
    }

    /// Calls `body` in a turn whose budget allows so many items.
    private func whenAfforded(_ items: Int, _ body: @escaping (Room) -> Void) {
        loop.read(items, for: JobOwner(reader.holder)) { [self] in
            if shared.isWanted { whenHere(body) }
        }
    }

    // MARK: Snapshots

    /// Continues the walk.
    ///
    /// - Parameter items: how many it may encode.
    private func walk(in room: Room, items: Int) {
        let engine = room.state.engine
        guard let walk = walk(of: room.state) else { return replayFromStore() }
        if items > 0 {
            guard reserve(items, of: engine) else { return shared.fail(.tooManyAnswers) }
            let made = walk.make(from: engine, stepLimit: items)
            if made.progress == .forgotten { return replayFromStore() }
            frames += made.frames
            byteCount += made.frames.reduce(0) { $0 + $1.plain.count }
            if !made.frames.isEmpty { return encode(isLast: made.progress == .atEnd) }
        }
        let isFirst = addedCount == 0 && items == 0
        let next = min(
            walk.stepsLeft(in: engine), mostItems,
            isFirst ? RevisionSource.stepsOfFirstPart : RevisionSource.stepsOfPart)
        whenAfforded(next) { [self] in self.walk(in: $0, items: next) }
    }

    /// The walk, in the present state of the room; `nil` if it can't go on there.
    private func walk(of state: RoomState) -> SnapshotWalk? {
        if let walk, walked === state { return walk }
        let engine = state.engine
        // The walk looks at all entries since the goal's revision.
        guard engine.entryCount(from: goal.to, to: engine.revision) <= mostItems else { return nil }
        walked = state
        if let walk { return walk.restart(in: engine) ? walk : nil }
        walk = SnapshotWalk(
            shared.span, of: engine, on: .request(0),
            partBytes: loop.configuration.wire.partBytes,
            firstPartBytes: RevisionSource.firstPartBytes)
        return walk
    }

    /// Reserves memory for so many more items, beside what is made already.
    private func reserve(_ items: Int, of engine: Engine) -> Bool {
        let rest = max(0, engine.byteCount - byteCount)
        return reserve(min(engine.chunkBytes(ofSteps: items) / 2, rest))
    }

    /// Reserves memory beside what is made already. If there is none, what all have taken is
    /// dropped.
    private func reserve(_ bytes: Int) -> Bool {
        if shared.reserveMore(bytes) { return true }
        return goal.form == .snapshot && shared.dropTaken() && shared.reserveMore(bytes)
    }

    // MARK: Items

    /// Continues to read items.
    ///
    /// - Parameter steps: how many the next piece may take.
    private func readItems(in room: Room, steps: Int) {
        guard let reading = itemReading else { return }
        let engine = room.state.engine
        // A piece begins with all entries since the goal's revision.
        let first = ItemWalk.firstSteps(in: engine, at: goal.to)
        guard goal.to >= engine.horizon, first <= mostItems / 2 else { return replayFromStore() }
        if steps > 0 {
            guard shared.reserve(reading.bytes(afterSteps: steps, in: engine)) else {
                return shared.fail(.tooManyAnswers)
            }
            let progress: ItemReading.Progress
            do throws(RoomRefusal) {
                progress = try reading.read(engine, stepLimit: max(1, steps - first))
            } catch {
                return shared.fail(error)
            }
            switch progress {
            case .more: break
            case .forgotten: return replayFromStore()
            case .done(let items):
                frames = [loop.codec.encoder.encode(.items(items))]
                return encode()
            }
        }
        // Most requests need one short piece. The longer one takes, the longer are its pieces.
        let next = min(mostItems, first + max(reading.leastSteps, 2 * steps))
        whenAfforded(next) { [self] in readItems(in: $0, steps: next) }
    }

    // MARK: Batches

    private func weighBatch(of room: Room) {
        let engine = room.state.engine
        let cost = max(
            engine.entryCount(from: goal.from, to: goal.to),
            engine.writingCost(
                since: goal.from, atMost: loop.configuration.reads.itemsPerTurn))
        guard cost <= mostItems else { return replayFromStore() }
        whenAfforded(cost) { [self] room in
            let engine = room.state.engine
            guard reserve(cost, of: engine) else { return shared.fail(.tooManyAnswers) }
            guard let batch = engine.batch(from: goal.from, to: goal.to) else {
                return replayFromStore()
            }
            frames = encode(batch)
            encode()
        }
    }

    private func encode(_ batch: Batch) -> [EncodedFrame] {
        loop.codec.encoder.encode(
            batch, on: .request(0), partBytes: loop.configuration.wire.partBytes)
    }

    // MARK: Each revision

    private func weighRevisions(of room: Room) {
        let engine = room.state.engine
        if revision < engine.horizon { return replayFromStore() }
        var last = min(goal.to, revision + Room.revisionsPerDelivery)
        // A single revision may touch as much as all the others.
        while last > revision + 1, engine.entryCount(from: revision, to: last) > mostItems {
            last = revision + (last - revision) / 2
        }
        let cost = max(
            Int(clamping: last - revision) * RevisionSource.costOfRevision,
            engine.entryCount(from: revision, to: last), engine.rewindingCost(to: revision))
        // A few revisions may have changed more than a turn has time for.
        guard cost <= mostItems else { return replayFromStore() }
        let end = last
        whenAfforded(cost) { [self] in read(through: end, of: $0) }
    }

    private func read(through last: Revision, of room: Room) {
        // The room may have forgotten the revision meanwhile.
        if revision < room.state.engine.horizon { return replayFromStore() }
        var frames: [EncodedFrame] = []
        var bytes = 0
        room.state.engine.forEachBatch(from: revision, to: last) { batch in
            for frame in encode(batch) {
                bytes += frame.plain.count
                frames.append(frame)
            }
            revision = batch.to
            return bytes < Room.deliveryBytes
        }
        isUnderWay = false
        shared.addPart(frames, isLast: revision == goal.to)
    }

    // MARK: What is made

    /// Encodes the frames, on a worker if they are large.
    private func encode(isLast: Bool = true) {
        let encodings = shared.encodings
        let encoders = encodings.map { loop.codec.encoder(in: $0) }
        let bytes = frames.reduce(0) { sum, frame in
            encoders.reduce(sum) { $0 + frame.bytesToEncode(by: $1) }
        }
        guard bytes > RevisionSource.mostBytesEncoded else { return finish(isLast: isLast) }
        guard reserveFrames() else { return shared.fail(.tooManyAnswers) }
        let post = loop.peers[loop.index]
        // One thread after the other uses them, and they are not sent yet.
        nonisolated(unsafe) let (frames, source) = (frames, self)
        loop.context.jobs.add(.work, for: JobOwner(reader.holder)) {
            frames.encode(in: encodings)
            post.post { _ in source.finish(isLast: isLast) }
        }
    }

    private func finish(isLast: Bool = true) {
        guard shared.isWanted else { return }
        guard reserveFrames() else { return shared.fail(.tooManyAnswers) }
        addedCount += frames.count
        shared.add(frames, isLast: isLast)
        frames = []
        if isLast {
            walk = nil
            itemReading = nil
            return shared.releaseReserve()
        }
        isUnderWay = false
        if shared.byteCount < RevisionSource.bytesAhead { makeMore() }
    }

    private func reserveFrames() -> Bool {
        reserve(frames.reduce(0) { $0 + $1.byteCount(in: shared.encodings) })
    }

    /// Ends the work, as no request wants the content any more.
    private func end() {
        if goal.form.isShared, host.sources[goal] === self { host.sources[goal] = nil }
        historyReplay?.cancel()
        historyReplay = nil
        if let ticket { loop.reads.slots.giveBack(ticket) }
        ticket = nil
    }

    // MARK: The log

    /// Makes the content from the log. A long read may lose its slot meanwhile, and then starts
    /// again.
    private func replayFromStore() {
        walk = nil
        itemReading = nil
        frames = []
        let slots = loop.reads.slots
        if let ticket, slots.wake(ticket) { return goOnReplaying() }
        ticket = nil
        let taken = slots.take(
            for: reader,
            begin: { [self] in
                historyReplay = HistoryReplay(
                    RevisionGoal(from: revision, to: goal.to, form: goal.form), of: host.name,
                    origin,
                    in: shared.encodings, for: reader.holder, context: loop.context)
                goOnReplaying()
            },
            onEviction: { [self] in
                historyReplay?.cancel()
                historyReplay = nil
            })
        guard let taken else { return shared.fail(.tooManyReads) }
        ticket = taken
    }

    private func goOnReplaying() {
        let post = loop.peers[loop.index]
        nonisolated(unsafe) let source = self
        historyReplay?.run { finding in
            post.post { _ in
                if source.shared.isWanted { source.didReplay(finding) }
            }
        }
    }

    private func didReplay(_ result: Result<ReplayResult, RoomRefusal>) {
        if host.room.place.isSuspended { return whenHere { [self] _ in didReplay(result) } }
        // While the log was read, another room may have taken the name.
        if let refusal = host.refusal(ofReading: goal.to, origin) { return shared.fail(refusal) }
        switch result {
        case .success(let found):
            // From here on the span counts the frames.
            found.charge?.change(to: 0)
            revision = found.revision
            if let ticket {
                if found.isLast {
                    loop.reads.slots.giveBack(ticket)
                } else {
                    loop.reads.slots.rest(ticket)
                }
            }
            if goal.form == .eachRevision {
                isUnderWay = false
                return shared.addPart(found.frames, isLast: found.isLast)
            }
            // Parts end at the same places wherever they are made.
            frames = Array(found.frames.dropFirst(addedCount))
            finish()
        case .failure(let refusal): shared.fail(refusal)
        }
    }
}
