import SyncBytes
import SyncEngine
import SyncIO
import SyncRoom
import SyncWire

// Requests for a room as it is or was, and for what changed.
extension ServerLoop {
    func readSnapshot(_ read: ReadSnapshot, for key: FeedKey) {
        self.read(read.room, key) { [self] host in
            let room = host.room
            let revision = read.revision ?? room.durableRevision
            if let origin = read.origin, !room.includes(read.revision ?? 0, of: origin) {
                return fail(key, .roomChanged)
            }
            guard revision <= room.durableRevision else {
                return fail(key, .aboveRevision(room.durableRevision))
            }
            answer(beginFeed(key, from: host), .snapshot(revision), of: host)
        }
    }

    func readHistory(_ read: ReadHistory, for key: FeedKey) {
        self.read(read.room, key) { [self] host in
            let room = host.room
            let until = read.until ?? room.durableRevision
            if let origin = read.origin,
                !room.includes(max(read.from, read.until ?? 0), of: origin)
            {
                return fail(key, .roomChanged)
            }
            guard until <= room.durableRevision else {
                return fail(key, .aboveRevision(room.durableRevision))
            }
            guard read.from <= until else {
                return fail(
                    key,
                    RoomRefusal(
                        code: .badRevision,
                        text: "revision \(read.from) comes after revision \(until)"))
            }
            let feed = beginFeed(key, from: host)
            if read.everyRevision {
                return RevisionReader(from: read.from, until: until, of: host, for: feed).begin()
            }
            answer(feed, .batch(from: read.from, until: until), of: host)
        }
    }

    /// Has a room read for a request, unless its connection goes before.
    func read(_ name: RoomName, _ key: FeedKey, _ body: @escaping (RoomHost) -> Void) {
        let task = RoomTask(
            .read, for: key.session, at: key.holder,
            perform: { [self] room in
                if let host = hosts[room.handle] { body(host) }
            },
            refuse: { [self] in fail(key, $0) }, whenOver: { [self] in reading[key] = nil })
        reading[key] = name
        ask(name, task)
    }

    /// Answers a request with what may have been made for others already.
    private func answer(_ feed: RequestFeed, _ goal: Excavation.Goal, of host: RoomHost) {
        if let known = host.answers[goal] { return known.add(feed) }
        let answer = SharedAnswer(goal, of: host, for: feed.key)
        host.answers[goal] = answer
        answer.add(feed)
        let cost = cost(of: goal, in: host)
        guard cost <= mostItemsRead else { return dig(for: answer, in: host) }
        read(cost, for: JobOwner(feed.key.holder)) { [self] in
            host.add(
                RoomTask(
                    .read, for: nil,
                    perform: { [self] in makeAnswer(answer, of: host, $0) },
                    refuse: { answer.fail($0) }))
        }
    }

    private func makeAnswer(_ answer: SharedAnswer, of host: RoomHost, _ room: Room) {
        guard answer.isWanted else { return }
        guard room === host.room else { return answer.fail(.unavailable) }
        guard let frames = frames(for: answer.goal, from: room) else {
            return dig(for: answer, in: host)
        }
        let bytes = frames.reduce(0) { $0 + $1.bytesToDeflate(by: codec.deflater) }
        guard answer.deflates, bytes > ServerLoop.mostBytesDeflated else {
            return answer.finish(frames)
        }
        deflate(frames, for: JobOwner(answer.reader.holder)) {
            if answer.isWanted { answer.finish(frames) }
        }
    }

    /// How much of an answer is deflated on the loop.
    private static let mostBytesDeflated = 16 << 10

    /// Has a worker deflate frames that nobody has yet.
    private func deflate(
        _ frames: [EncodedFrame], for owner: JobOwner, then finish: @escaping () -> Void
    ) {
        let post = peers[index]
        // Used by one thread after the other.
        nonisolated(unsafe) let (frames, finish) = (frames, finish)
        context.jobs.add(.work, for: owner) {
            let deflater = Deflater()
            for frame in frames { _ = frame.bytes(deflatedBy: deflater) }
            post.post { _ in finish() }
        }
    }

    /// What there is to be written, about, in items.
    private func cost(of goal: Excavation.Goal, in host: RoomHost) -> Int {
        let engine = host.room.state.engine
        switch goal {
        case .snapshot(let revision): return engine.writingCost(at: revision)
        case .batch(let from, let until), .eachRevision(let from, let until):
            return max(
                engine.entryCount(from: from, to: until),
                engine.writingCost(since: from, atMost: configuration.reads.itemsPerTurn))
        case .image: return .max
        }
    }

    /// An answer from what the room remembers; `nil` if it does not.
    private func frames(for goal: Excavation.Goal, from room: Room) -> [EncodedFrame]? {
        switch goal {
        case .snapshot(let revision): room.snapshotFrames(at: revision, with: codec.encoder)
        case .batch(let from, let until):
            room.state.engine.batch(from: from, to: until).map { batch in encode(batch) }
        case .eachRevision, .image: nil
        }
    }

    /// A batch that is readdressed to those who ask for it.
    func encode(_ batch: Batch) -> [EncodedFrame] {
        codec.encoder.encode(batch, on: .request(0), partBytes: configuration.wire.partBytes)
    }

    /// Makes an answer from the log.
    private func dig(for answer: SharedAnswer, in host: RoomHost) {
        let reader = answer.reader
        var excavation: Excavation?
        let ticket = readSlots.take(
            for: reader,
            begin: { [self] in
                let origin = host.room.state.identity?.origin(of: answer.goal.until)
                let begun = Excavation(
                    answer.goal, of: host.name, origin, deflates: answer.deflates,
                    for: reader.holder, context: context)
                excavation = begun
                let post = peers[index]
                nonisolated(unsafe) let receiver = answer
                begun.dig { finding in
                    post.post { _ in
                        receiver.stop?()
                        guard receiver.isWanted else { return }
                        receiver.take(finding, of: origin)
                    }
                }
            })
        guard let ticket else { return answer.fail(.tooManyReads) }
        answer.stop = { [readSlots] in
            excavation?.cancel()
            readSlots.giveBack(ticket)
        }
    }
}

extension RoomHost {
    /// Why what is read of the past up to a revision is not to be given to who asked for it.
    ///
    /// - Parameter origin: what the revision was of when the reading began.
    func refusal(ofReading until: Revision, _ origin: Origin?) -> RoomRefusal? {
        switch room.place {
        case .deleting: return .roomDeleted
        case .gone: return .roomChanged
        case .opening, .reopening, .away(.reopen): return .unavailable
        case .here, .away(.goOn): break
        }
        guard let origin, room.includes(until, of: origin) else { return .roomChanged }
        return nil
    }
}

extension Result where Success == Excavation.Found, Failure == RoomRefusal {
    /// A finding that is refused if there is a reason for that by now.
    func checked(_ refusal: RoomRefusal?) -> Self {
        refusal.map { .failure($0) } ?? self
    }
}

extension RoomRefusal {
    static func aboveRevision(_ revision: Revision) -> RoomRefusal {
        RoomRefusal(code: .badRevision, text: "the room is at revision \(revision)")
    }

    static let tooManyReads = RoomRefusal(
        code: .unavailable, text: "too many read the past now; try again in a while")
}
