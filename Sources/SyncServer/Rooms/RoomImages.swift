import SyncBytes
import SyncEngine
import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire

/// Makes and saves a room's images, from which it is opened. The store calls an image a snapshot.
/// It also counts the log since the last image.
///
/// The loop makes the image of a small room, right after a record. For a larger room, a worker
/// makes it, which gets the room's state for some turns. For a very large room in use, a worker
/// makes it from the last image and the log, so that the room need not wait (``HistoryReplay``).
/// When the room is no longer used, a worker makes it from the state, and only if the log since the
/// last image is long.
///
/// Invariant: one image is made or saved at a time.
final class RoomImages {
    private unowned let host: RoomHost
    private var tailBytes = 0
    private var tailRevisions: UInt64 = 0
    /// The size of the last image, and the revision of the last one that the store has.
    private var imageBytes = 0
    private(set) var revision: Revision = 0
    /// An image that was taken before its records are durable.
    private var pending: StoredSnapshot?
    /// Whether an image is being made or saved.
    private(set) var isSaving = false
    /// The memory of an image, from before it is made until the store has it.
    private let memory: Charge
    /// Whether the image of a very large room is due, and the earliest time for it, in
    /// milliseconds.
    private var isDue = false
    private var earliest: UInt64 = 0
    /// Whether a worker should make an image from the state.
    private var isLoanWanted = false
    private var whenSaved: [() -> Void] = []

    init(of host: RoomHost) {
        self.host = host
        memory = Charge(in: host.loop.context.pots.images, as: .store, on: host.loop.tally)
    }

    private var room: Room { host.room }
    private var loop: ServerLoop { host.loop }
    private var configuration: ServerConfiguration { host.configuration }

    /// Begins with the stored image and log, if there are any. Returns their bytes.
    func begin(with opened: OpenedRoom?) -> Int {
        tailBytes = opened?.tailBytes ?? 0
        tailRevisions = opened?.tailRevisions ?? 0
        imageBytes = opened?.snapshotBytes ?? 0
        revision = opened?.snapshotRevision ?? 0
        dropPending()
        return imageBytes + tailBytes
    }

    /// Counts a record that goes to the log.
    func add(_ record: LogRecord) {
        tailBytes += record.body.count
        tailRevisions += record.lastRevision + 1 - record.firstRevision
    }

    /// Drops an image whose records are not durable, after an append has failed.
    func dropPending() {
        pending = nil
        isDue = false
        if !isSaving { memory.change(to: 0) }
    }

    /// The room is deleted: no image of it is needed.
    func end() {
        dropPending()
        if isLoanWanted {
            isLoanWanted = false
            finishSaving()
        }
    }

    func abandon() {
        whenSaved = []
    }

    /// Takes a snapshot right after a record, if there is enough log since the last one. So it
    /// equals what the log makes up to that record. It is saved when the record is durable.
    func takeIfDue() {
        let nodes = UInt64(room.state.engine.itemCount + room.state.engine.deadNodeCount)
        let most = configuration.storage.snapshotRevisions
        let isLong =
            tailBytes > max(configuration.storage.snapshotBytes, imageBytes / 4)
            || tailRevisions > max(most - min(most, nodes / 4), nodes / 4)
        guard isLong, pending == nil, !isSaving else { return }
        guard !isLarge else {
            if steps > RoomImages.turnsPerLoan * loop.budget.stepsPerTurn { return isDue = true }
            return askForLoan()
        }
        guard memory.reserve(room.stateBytes) else { return }
        loop.budget.spend(steps)
        pending = snapshot(room.state.encodeImage())
    }

    /// How many turns a worker may have the state of a room in use, to make its image. Replaying a
    /// log that makes an image due takes much longer.
    private static let turnsPerLoan = 4

    /// Whether encoding the room takes more steps than a turn allows for one piece of work.
    private var isLarge: Bool {
        steps > loop.budget.stepsPerPiece
    }

    /// How many steps encoding the room takes, about.
    private var steps: Int {
        let engine = room.state.engine
        let nodes = engine.itemCount + engine.deadNodeCount + engine.unsweptCount
        return 1 + WorkCost.imageNode.steps(nodes) + WorkCost.imageBytes.steps(engine.blobByteCount)
    }

    private func snapshot(_ body: SharedBytes) -> StoredSnapshot {
        tailBytes = 0
        tailRevisions = 0
        imageBytes = body.count
        isDue = false
        memory.change(to: body.count)
        return StoredSnapshot(
            sequence: room.state.sequence, revision: room.state.engine.revision,
            trustedMilliseconds: loop.trustedTime.milliseconds, body: body)
    }

    /// Saves the image that was taken, if all its records are durable.
    func save(ifCoveredBy sequence: UInt64) {
        guard let pending, pending.sequence <= sequence else { return }
        self.pending = nil
        save(pending) {}
    }

    // MARK: From the log

    /// Makes the image of a very large room, if it is due, from the durable log.
    func makeIfDue() {
        guard isDue, room.place.isHere else { return }
        let now = loop.loop.nowMilliseconds
        guard !isSaving, now >= earliest, room.durableSequence > 0,
            let place = loop.context.historyReplays.reserve(1)
        else { return }
        isDue = false
        isSaving = true
        let (tail, revisions) = (tailBytes, tailRevisions)
        let historyReplay = HistoryReplay(
            RevisionGoal(room.durableRevision, .image(behind: room.durableSequence)), of: host.name,
            room.identity.origin(of: room.durableRevision), in: [], for: nil,
            context: loop.context)
        historyReplay.run { [reference = host.reference] finding in
            reference.post { host in
                // From here on another room may have the place.
                place.change(to: 0)
                let images = host.images
                // Waits as long as this has taken, so that the worker has at least half of its time
                // for others.
                let later = host.loop.loop.nowMilliseconds
                images.earliest = later + (later - now)
                images.isSaving = false
                switch finding {
                case .success(let found): images.didMake(found, ofTail: tail, revisions)
                case .failure(let refusal): images.didNotMake(refusal)
                }
            }
        }
    }

    private func didMake(
        _ found: ReplayResult, ofTail bytes: Int, _ revisions: UInt64
    ) {
        guard room.place.acceptsTransactions, let body = found.image, memory.reserve(body.count)
        else {
            return finishSaving()
        }
        tailBytes -= min(tailBytes, bytes)
        tailRevisions -= min(tailRevisions, revisions)
        imageBytes = body.count
        save(
            StoredSnapshot(
                sequence: found.sequence, revision: found.revision,
                trustedMilliseconds: loop.trustedTime.milliseconds, body: body)
        ) {}
    }

    private func didNotMake(_ refusal: RoomRefusal) {
        loop.context.log.log(
            .warning, "an image could not be made", ["room": host.name.text, "why": refusal.text])
        earliest += RoomImages.retryMilliseconds
        finishSaving()
    }

    private static let retryMilliseconds: UInt64 = 60_000

    // MARK: When nobody uses the room

    /// Saves an image, if there is much log since the last one. Only when nothing is pending.
    func saveTail(then finish: @escaping () -> Void) {
        if case .away = room.place {
            return host.add(
                RoomTask(
                    .read, for: nil, perform: { [self] _ in saveTail(then: finish) },
                    refuse: { _ in finish() }))
        }
        guard mayTakeTail, !isSaving else { return finish() }
        guard isLarge else {
            guard memory.reserve(room.stateBytes) else { return finish() }
            loop.budget.spend(steps)
            return save(snapshot(room.state.encodeImage()), finish)
        }
        whenSaved.append(finish)
        guard steps <= loop.budget.stepsPerJob || loop.drain.isUnderWay else {
            // A client that comes meanwhile would have to wait for the worker. So the image is made
            // from the log, or not at all.
            isDue = true
            makeIfDue()
            return isSaving ? () : finishSaving()
        }
        askForLoan()
    }

    private func askForLoan() {
        isLoanWanted = true
        host.askForWorker(for: .server)
    }

    /// Whether replaying the tail takes long compared with reading the image. The tail then has
    /// more than a sixteenth of the image, and more than a 512th of the log that makes an image due
    /// while the room is in use. That is 64 KiB, or some 1,000 revisions, which take some
    /// milliseconds. So an image of a megabyte or more that is written at the end has at most 16
    /// times the bytes of the edits.
    private var isTailLong: Bool {
        let engine = room.state.engine
        let nodes = UInt64(engine.itemCount + engine.deadNodeCount)
        return tailBytes > max(configuration.storage.snapshotBytes / 512, imageBytes / 16)
            || tailRevisions > max(configuration.storage.snapshotRevisions / 512, nodes / 16)
    }

    private var mayTakeTail: Bool {
        room.place.isHere && isTailLong && pending == nil && !room.hasUnanswered
            && room.draftBytes == 0 && host.appends.isEmpty
    }

    /// Lends the state to a worker for its image. This ends the open record, so the image ends with
    /// a record, and is saved when that is durable.
    func loan() -> Loan? {
        guard isLoanWanted else { return nil }
        guard loop.budget.left > 0 else {
            host.askForWorker(for: .server)
            return nil
        }
        isLoanWanted = false
        guard pending == nil, !isSaving, whenSaved.isEmpty || mayTakeTail,
            memory.reserve(room.stateBytes)
        else {
            finishSaving()
            return nil
        }
        host.endRecord()
        return room.lendForImage { [unowned self] body in
            pending = snapshot(body)
            save(ifCoveredBy: room.durableSequence)
        }
    }

    private func save(_ snapshot: StoredSnapshot, _ finish: @escaping () -> Void) {
        whenSaved.append(finish)
        guard loop.context.hasDisk(forImageOf: snapshot.body.count) else {
            memory.change(to: 0)
            return finishSaving()
        }
        isSaving = true
        host.addToDisk(snapshot.body.count)
        let (reference, revision) = (host.reference, snapshot.revision)
        loop.context.store.saveSnapshot(snapshot, of: host.name) { result in
            reference.post { $0.images.didSave(revision, result) }
        }
    }

    private func didSave(_ revision: UInt64, _ result: Result<Void, StoreError>) {
        isSaving = false
        memory.change(to: 0)
        switch result {
        case .success: self.revision = revision
        case .failure(let error):
            loop.context.log.log(
                .warning, "a snapshot could not be saved",
                ["room": host.name.text, "why": error.description])
        }
        finishSaving()
    }

    func finishSaving() {
        let finished = whenSaved
        whenSaved = []
        for finish in finished { finish() }
        host.checkIdle()
    }
}
