import SyncBytes
import SyncEngine
import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire

/// The images of a room that its store gets, from which it is opened, and the log that has come
/// since the last one.
///
/// That of a small room is made on the loop, right behind a record; that of a larger one by a
/// worker, which has the room's state for some turns. While a large room is in use, it is made from
/// the last image and the log, which need not be waited for (``HistoryReplay``). When nobody uses
/// the room any more, a worker makes it from the state, and only if the log behind the last one is
/// long.
///
/// Invariant: one image is made or saved at a time.
final class RoomImages {
    private unowned let host: RoomHost
    private var tailBytes = 0
    private var tailRevisions: UInt64 = 0
    /// How large that is, and the revision of the last one that the store has.
    private var imageBytes = 0
    private(set) var revision: Revision = 0
    /// One that was taken ahead of the log.
    private var pending: StoredSnapshot?
    /// One is being made or saved.
    private(set) var isSaving = false
    /// What it takes, from before it is made until the store has it.
    private let memory: Charge
    /// The image of a large room is due, and not before this time, in milliseconds.
    private var isDue = false
    private var earliest: UInt64 = 0
    /// A worker is to make it from the state.
    private var isLoanWanted = false
    private var whenSaved: [() -> Void] = []

    init(of host: RoomHost) {
        self.host = host
        memory = Charge(in: host.loop.context.pots.images, as: .store, on: host.loop.tally)
    }

    private var room: Room { host.room }
    private var loop: ServerLoop { host.loop }
    private var configuration: ServerConfiguration { host.configuration }

    /// Begins with what the store has, if anything. Returns the bytes of all that.
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

    /// Drops what is ahead of a log that has failed.
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

    /// Takes a snapshot right behind a record, if enough has come since the last one: then it is
    /// what the log makes up to there. It is saved when the log has the record.
    func takeIfDue(after record: LogRecord) {
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
        pending = snapshot(room.state.encodeImage(), record.wallClockMilliseconds)
    }

    /// While a room is in use, a worker has its state for its image for so many turns at most:
    /// replaying a log that makes an image due takes much longer.
    private static let turnsPerLoan = 4

    /// Whether encoding the room takes more than a turn has for one piece of work.
    private var isLarge: Bool {
        steps > loop.budget.stepsPerPiece
    }

    /// How many steps encoding the room takes, about.
    private var steps: Int {
        let engine = room.state.engine
        let nodes = engine.itemCount + engine.deadNodeCount + engine.unsweptCount
        return 1 + WorkCost.imageNode.steps(nodes) + WorkCost.imageBytes.steps(engine.blobByteCount)
    }

    private func snapshot(
        _ body: SharedBytes, _ wallClockMilliseconds: UInt64
    ) -> StoredSnapshot {
        tailBytes = 0
        tailRevisions = 0
        imageBytes = body.count
        isDue = false
        memory.change(to: body.count)
        return StoredSnapshot(
            sequence: room.state.sequence, revision: room.state.engine.revision,
            wallClockMilliseconds: wallClockMilliseconds, body: body)
    }

    /// Saves the image that was taken, when the log has all that is in it.
    func save(ifCoveredBy sequence: UInt64) {
        guard let pending, pending.sequence <= sequence else { return }
        self.pending = nil
        save(pending) {}
    }

    // MARK: From the log

    /// Has the image of a large room made that is due. The log has all that is to be in it.
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
                // Which others may have from here on.
                place.change(to: 0)
                let images = host.images
                // The worker has the other half of the time for others, at least.
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
        _ found: Finding, ofTail bytes: Int, _ revisions: UInt64
    ) {
        guard room.place.goesOn, let body = found.image, memory.reserve(body.count) else {
            return finishSaving()
        }
        tailBytes -= min(tailBytes, bytes)
        tailRevisions -= min(tailRevisions, revisions)
        imageBytes = body.count
        save(
            StoredSnapshot(
                sequence: found.sequence, revision: found.revision,
                wallClockMilliseconds: loop.loop.wallClockMilliseconds, body: body)
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

    /// Saves what came since the last snapshot, if that is much. Only when nothing is under way.
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
            return save(
                snapshot(room.state.encodeImage(), loop.loop.wallClockMilliseconds), finish)
        }
        whenSaved.append(finish)
        guard steps <= loop.budget.stepsPerJob || loop.drain.isUnderWay else {
            // Whoever comes would wait for it: it is made from the log, or not at all.
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

    /// Whether replaying the tail takes long beside reading the image: it has more than a sixteenth
    /// of that, and more than a 512th of what makes an image due while the room is in use (64 KiB,
    /// or some 1,000 revisions, which take some milliseconds). So an image that is written at the
    /// end has at most 16 times the bytes of what was edited, if it has a megabyte or more.
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

    /// Gives the state to a worker for its image, where it ends with a record: what came since is
    /// then to be made durable first.
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
        let wallClock = loop.loop.wallClockMilliseconds
        return room.lendForImage { [unowned self] body in
            pending = snapshot(body, wallClock)
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
        loop.context.store.saveSnapshot(snapshot, of: host.name.text) { result in
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
