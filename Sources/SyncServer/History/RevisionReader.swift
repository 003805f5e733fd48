import SyncBytes
import SyncEngine
import SyncRoom
import SyncWire

/// Reads one revision after the other for a request: from the log as long as the room has forgotten them, then
/// from the room.
final class RevisionReader {
    private let feed: RequestFeed
    private let host: RoomHost
    private let until: Revision
    /// What ``until`` is a revision of.
    private let origin: Origin?
    /// What was found so far.
    private var revision: Revision
    private var excavation: Excavation?
    private var ticket: ReadSlots.Ticket?

    /// What writing a revision costs, for ``ServerLoop/read(_:_:)``.
    private static let costOfRevision = 16

    private var loop: ServerLoop { host.loop }

    init(from: Revision, until: Revision, of host: RoomHost, for feed: RequestFeed) {
        revision = from
        self.until = until
        origin = host.room.identity.origin(of: until)
        self.host = host
        self.feed = feed
    }

    func begin() {
        feed.more = { [self] in findMore() }
        feed.addWhenGone { [self] in stop() }
        feed.pump()
    }

    private func findMore() {
        whenHere { [self] in findNext() }
    }

    /// Does something when the room's state is here, if the request is still wanted by then.
    private func whenHere(_ body: @escaping () -> Void) {
        host.add(
            RoomTask(
                .read, for: feed.key.session,
                perform: { [self] room in
                    guard feed.more != nil else { return }
                    guard room === host.room else { return feed.fail(.unavailable) }
                    body()
                },
                refuse: { [self] in
                    if feed.more != nil { feed.fail($0) }
                }))
    }

    private func findNext() {
        guard let room = room() else { return }
        if revision < room.state.engine.horizon { return dig() }
        var last = min(until, revision + Room.revisionsPerDelivery)
        let engine = room.state.engine
        // One may touch as much as all the others.
        while last > revision + 1,
            engine.entryCount(from: revision, to: last) > loop.mostItemsRead
        {
            last = revision + (last - revision) / 2
        }
        let cost = max(
            Int(clamping: last - revision) * RevisionReader.costOfRevision,
            engine.entryCount(from: revision, to: last), engine.rewindingCost(to: revision))
        // A few revisions may have changed more than a turn has time for.
        guard cost <= loop.mostItemsRead else { return dig() }
        loop.read(cost, for: JobOwner(feed.key.holder)) { [self] in
            whenHere { [self] in read(through: last) }
        }
    }

    /// The room, if it is still the one that was asked for; else the request fails.
    private func room() -> Room? {
        if let refusal = host.refusal(ofReading: until, origin) {
            feed.fail(refusal)
            return nil
        }
        return host.room
    }

    private func read(through last: Revision) {
        guard let room = room() else { return }
        // It may have gone on meanwhile.
        if revision < room.state.engine.horizon { return dig() }
        var frames: [EncodedFrame] = []
        var bytes = 0
        room.state.engine.forEachBatch(from: revision, to: last) { batch in
            for frame in loop.encode(batch) {
                bytes += frame.plain.count
                frames.append(frame)
            }
            revision = batch.to
            return bytes < Room.deliveryBytes
        }
        feed.add(frames, isLast: revision == until)
    }

    private func dig() {
        let slots = loop.readSlots
        if let ticket, slots.wake(ticket) { return goOn() }
        ticket = nil
        let taken = slots.take(
            for: feed.key,
            begin: { [self] in
                excavation = Excavation(
                    .eachRevision(from: revision, until: until), of: host.name, origin,
                    deflates: feed.key.readsDeflated, for: feed.key.holder, context: loop.context)
                goOn()
            },
            lose: { [self] in
                excavation?.cancel()
                excavation = nil
            })
        guard let taken else { return feed.fail(.tooManyReads) }
        ticket = taken
    }

    private func goOn() {
        let (post, key) = (loop.peers[loop.index], feed.key)
        nonisolated(unsafe) let reader = self
        excavation?.dig { finding in
            post.post { loop in
                // Whoever reads now under this number may be another.
                if loop.feeds[key] === reader.feed { reader.didFind(finding) }
            }
        }
    }

    private func didFind(_ finding: Result<Excavation.Found, RoomRefusal>) {
        // The log may have become another room's while it was read.
        switch finding.checked(host.refusal(ofReading: until, origin)) {
        case .success(let found):
            revision = found.revision
            if let ticket {
                if found.isLast {
                    loop.readSlots.giveBack(ticket)
                } else {
                    loop.readSlots.rest(ticket)
                }
            }
            feed.add(found.frames, isLast: found.isLast)
        case .failure(let refusal): feed.fail(refusal)
        }
    }

    private func stop() {
        excavation?.cancel()
        excavation = nil
        if let ticket { loop.readSlots.giveBack(ticket) }
        ticket = nil
    }
}
