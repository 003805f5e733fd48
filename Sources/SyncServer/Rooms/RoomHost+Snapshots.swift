import SyncBytes
import SyncEngine
import SyncIO
import SyncRoom
import SyncStore
import SyncWire

// Images of the room for the store, from which it is opened.
//
// That of a small room is made on the loop, right behind a record. That of a large one is made elsewhere: while
// the room is in use, from the last image and the log, which need not be waited for (`ImageMaker`); when nobody
// uses it any more, by a worker that has its state meanwhile, and only if the log behind the last one is long.
extension RoomHost {
    /// Takes a snapshot right behind a record, if enough has come since the last one: then it is what
    /// the log makes up to there. It is saved when the log has the record.
    func takeImageIfDue(after record: RoomRecord) {
        let nodes = UInt64(room.state.engine.itemCount + room.state.engine.deadNodeCount)
        let most = configuration.storage.snapshotRevisions
        let isDue =
            tailBytes > max(configuration.storage.snapshotBytes, imageBytes / 4)
            || tailRevisions > max(most - min(most, nodes / 4), nodes / 4)
        guard isDue, image == nil, !isSavingSnapshot else { return }
        guard !isLarge else { return isImageDue = true }
        loop.budget.spend(imageSteps)
        image = makeImage(wallClockMilliseconds: record.wallClockMilliseconds)
    }

    /// Whether encoding the room takes more than a turn has for one piece of work.
    private var isLarge: Bool {
        imageSteps > loop.budget.stepsPerPiece
    }

    /// How many steps encoding the room takes, about.
    private var imageSteps: Int {
        let engine = room.state.engine
        let nodes = engine.itemCount + engine.deadNodeCount + engine.unsweptCount
        return 1 + WorkCost.imageNode.steps(nodes) + WorkCost.imageBytes.steps(room.stateBytes)
    }

    private func makeImage(wallClockMilliseconds: UInt64) -> StoredSnapshot {
        snapshot(room.state.encodeImage(), wallClockMilliseconds)
    }

    /// The image as the store takes it.
    private func snapshot(
        _ body: SharedBytes, _ wallClockMilliseconds: UInt64
    ) -> StoredSnapshot {
        tailBytes = 0
        tailRevisions = 0
        imageBytes = body.count
        isImageDue = false
        return StoredSnapshot(
            sequence: room.state.sequence, revision: room.state.engine.revision,
            wallClockMilliseconds: wallClockMilliseconds, body: body)
    }

    func saveImage(ifCoveredBy sequence: UInt64) {
        guard let image, image.sequence <= sequence else { return }
        self.image = nil
        save(image) {}
    }

    // MARK: From the log

    /// Has the image of a large room made that is due. The log has all that is to be in it.
    func makeDueImage() {
        let now = loop.loop.nowMilliseconds
        guard isImageDue, !isSavingSnapshot, now >= earliestImage, room.durableSequence > 0,
            let place = loop.context.excavations.reserve(1)
        else { return }
        isImageDue = false
        isSavingSnapshot = true
        let (tail, revisions) = (tailBytes, tailRevisions)
        let excavation = Excavation(
            .image(sequence: room.durableSequence, revision: room.durableRevision), of: name,
            room.identity.origin(of: room.durableRevision), deflates: false, for: nil,
            context: loop.context)
        let post = loop.peers[loop.index]
        let handle = handle
        excavation.dig { finding in
            post.post { loop in
                // Which others may have from here on.
                place.change(to: 0)
                guard let host = loop.hosts[handle] else { return }
                // The worker has the other half of the time for others, at least.
                let later = loop.loop.nowMilliseconds
                host.earliestImage = later + (later - now)
                host.isSavingSnapshot = false
                switch finding {
                case .success(let found): host.didMakeImage(found, ofTail: tail, revisions)
                case .failure(let refusal): host.didNotMakeImage(refusal)
                }
            }
        }
    }

    private func didMakeImage(
        _ found: Excavation.Found, ofTail bytes: Int, _ revisions: UInt64
    ) {
        guard room.place.goesOn, let body = found.image else {
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

    private func didNotMakeImage(_ refusal: RoomRefusal) {
        loop.context.log.log(
            .warning, "an image could not be made", ["room": name.text, "why": refusal.text])
        earliestImage += RoomHost.imageRetryMilliseconds
        finishSaving()
    }

    private static let imageRetryMilliseconds: UInt64 = 60_000

    // MARK: When nobody uses the room

    /// Saves what came since the last snapshot, if that is much. Only when nothing is under way.
    func saveTail(then finish: @escaping () -> Void) {
        if case .away = room.place {
            return add(
                RoomTask(
                    .read, for: nil, perform: { [self] _ in saveTail(then: finish) },
                    refuse: { _ in finish() }))
        }
        guard mayTakeTail, !isSavingSnapshot else { return finish() }
        guard isLarge else {
            loop.budget.spend(imageSteps)
            return save(
                makeImage(wallClockMilliseconds: loop.loop.wallClockMilliseconds), finish)
        }
        whenSaved.append(finish)
        isTailWanted = true
        askForWorker(for: .server)
    }

    /// Whether replaying the tail takes long beside reading the image: it has more than a sixteenth of that, and
    /// more than a 512th of what makes an image due while the room is in use (64 KiB, or some 1,000 revisions, which
    /// take some milliseconds). So an image that is written at the end has at most 16 times the bytes of what was
    /// edited, if it has a megabyte or more.
    private var isTailLong: Bool {
        let engine = room.state.engine
        let nodes = UInt64(engine.itemCount + engine.deadNodeCount)
        return tailBytes > max(configuration.storage.snapshotBytes / 512, imageBytes / 16)
            || tailRevisions > max(configuration.storage.snapshotRevisions / 512, nodes / 16)
    }

    private var mayTakeTail: Bool {
        room.place == .here && isTailLong && image == nil && !room.hasUnanswered
            && room.draftBytes == 0 && appendsUnderWay == 0
    }

    /// Gives the state to a worker for its image, unless somebody uses the room again.
    func loanForTail() -> Loan? {
        guard isTailWanted else { return nil }
        isTailWanted = false
        guard mayTakeTail, !isSavingSnapshot else {
            finishSaving()
            return nil
        }
        isSavingSnapshot = true
        let wallClock = loop.loop.wallClockMilliseconds
        return room.lendForImage { [unowned self] body in
            isSavingSnapshot = false
            save(snapshot(body, wallClock)) {}
        }
    }

    private func save(_ snapshot: StoredSnapshot, _ finish: @escaping () -> Void) {
        isSavingSnapshot = true
        savingBytes = snapshot.body.count
        addToDisk(savingBytes)
        whenSaved.append(finish)
        let post = loop.peers[loop.index]
        let handle = handle
        let revision = snapshot.revision
        loop.context.store.saveSnapshot(snapshot, of: name.text) { result in
            post.post { loop in loop.hosts[handle]?.didSave(revision, result) }
        }
    }

    private func didSave(_ revision: UInt64, _ result: Result<Void, StoreError>) {
        isSavingSnapshot = false
        savingBytes = 0
        countMemory()
        switch result {
        case .success: snapshotRevision = revision
        case .failure(let error):
            loop.context.log.log(
                .warning, "a snapshot could not be saved",
                ["room": name.text, "why": error.description])
        }
        finishSaving()
    }

    func finishSaving() {
        let finished = whenSaved
        whenSaved = []
        for finish in finished { finish() }
        checkIdle()
    }
}
