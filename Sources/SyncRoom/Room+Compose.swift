import SyncBytes
import SyncCounts
package import SyncEngine
package import SyncModel
package import SyncWire

extension Room {
    /// Sends the same frames to some members.
    package typealias Send = (_ frames: [EncodedFrame], _ members: [Member]) -> Void

    /// Bytes of one delivery, about.
    package static let deliveryBytes = 256 << 10
    /// While more members than these are being sent something, deliveries are smaller.
    private static let crowd = 64
    /// How many revisions one delivery has for a member that wants each by itself.
    package static let revisionsPerDelivery: Revision = 256

    /// For a batch of more journal entries than these, a snapshot is sent instead.
    static let mostEntriesOfBatch = 1 << 18

    /// Members whose batch takes more than a turn: the revision that they were sent, and the number
    /// of journal entries since.
    private typealias FarBehind = (start: Span.Start, members: [Member], entries: Int)

    /// Sends all ready members what they lack, in this order:
    ///
    /// 1. A batch, which is the same for all who were sent the same revision. A snapshot replaces
    ///    it where no batch can be made, or where the batch is larger.
    /// 2. The updates of their views that are due. ``viewsDue`` says when more are.
    /// 3. The presence of other members, where it changed.
    /// 4. Which of the room's quotas are nearly used up, to those that may edit.
    ///
    /// What the turn's budget does not allow waits for the next turn (``hasMoreToCompose``). Large
    /// work is cut into pieces: a snapshot is a walk, and large batches end at common revisions, so
    /// that members share the rest. If even a piece takes more than a turn, a worker makes it
    /// (``lend(at:)``).
    ///
    /// - Parameter now: milliseconds on a clock that never goes back.
    package func compose(
        with encoder: MessageEncoder, at now: UInt64, deliver: Send
    ) {
        if place.isHere, !drags.list.isEmpty { settleDrags() }
        let warned = nearLimits.areMembersWaiting ? nearLimits.takeReady() : []
        defer { composeNearLimits(for: warned, with: encoder, deliver: deliver) }
        let listeners = takeListeners()
        defer { composePresence(of: listeners, with: encoder, deliver: deliver) }
        if !place.isHere { return }
        let viewers = takeDueViewers(at: now)
        defer { composeViews(of: viewers, with: encoder, at: now, deliver: deliver) }
        composeBatches(with: encoder, deliver)
    }

    private func composeBatches(with encoder: MessageEncoder, _ deliver: Send) {
        lending.forgetRequest()
        composing.beginTurn()
        if composing.walk != nil { continueWalk() }
        if composing.areReceiversFirst {
            composeParts(deliver)
            composeBeginnings(with: encoder, deliver)
        } else {
            composeBeginnings(with: encoder, deliver)
            composeParts(deliver)
        }
    }

    /// Sends the next parts to the members that are receiving something in parts.
    private func composeParts(_ deliver: Send) {
        while budget.left > 0, let member = composing.nextReceiver() {
            sendNextPart(to: member, deliver)
        }
        if composing.receiverCount > 0 { composing.hasMore = true }
    }

    /// Begins to send the other members what they lack.
    private func composeBeginnings(with encoder: MessageEncoder, _ deliver: Send) {
        // Most members were sent the same revision as the first one, so these need no dictionary.
        var first: Subscription.Progress?
        var firstMembers: [Member] = []
        var others: [Subscription.Progress: [Member]] = [:]
        var order: [Subscription.Progress] = []
        for member in composing.takeOthers(of: members.list, at: durableRevision)
        where lacksSomething(member) {
            let progress = member.subscription.progress
            if first == nil {
                first = progress
                firstMembers.reserveCapacity(members.list.count)
            }
            if first == progress {
                firstMembers.append(member)
            } else {
                if others[progress] == nil { order.append(progress) }
                others[progress, default: []].append(member)
            }
        }
        guard let first else { return forgetSpansIfUnneeded() }
        var farBehind: [FarBehind] = []
        compose(first, firstMembers, encoder, &farBehind, deliver)
        for progress in order {
            compose(progress, others[progress] ?? [], encoder, &farBehind, deliver)
        }
        makeOnWorker(farBehind, deliver)
    }

    /// Has a worker make the batches that take more than a turn. If members need batches from many
    /// different revisions, those with more changes than the room has items get a snapshot: all of
    /// them share it.
    private func makeOnWorker(_ farBehind: [FarBehind], _ deliver: Send) {
        let isCrowded = farBehind.count > SpanMaker.mostStartsAtOnce
        var starts: [Span.Start] = []
        var owner: JobOwner?
        for (start, members, entries) in farBehind {
            if isCrowded, !start.everyRevision, entries > state.engine.itemCount {
                beginSnapshot(atLeast: start.leastSnapshot, members, deliver)
                continue
            }
            for member in members { composing.add(member) }
            starts.append(start)
            if owner == nil { owner = JobOwner(members[0].holder) }
        }
        if let owner { requestPieces(from: starts, for: owner) }
    }

    /// Drops the recent spans if no member is behind.
    private func forgetSpansIfUnneeded() {
        guard !composing.recentSpans.isEmpty, !lending.isMakingOutput,
            members.list.allSatisfy({ $0.subscription.feed == nil && !lacksSomething($0) })
        else { return }
        composing.recentSpans = RecentSpans()
    }

    /// Queues a member for the next turn, if it lacks something. Called when it joins and when it
    /// becomes ready.
    func enqueue(_ member: Member) {
        if member.subscription.feed != nil || lacksSomething(member) { composing.add(member) }
    }

    private func lacksSomething(_ member: Member) -> Bool {
        member.subscription.lacks(durableRevision)
    }

    /// - Parameter farBehind: collects the members for whom a worker is to make the batch.
    private func compose(
        _ progress: Subscription.Progress, _ members: [Member], _ encoder: MessageEncoder,
        _ farBehind: inout [FarBehind], _ deliver: Send
    ) {
        guard budget.left > 0 else { return composing.composeLater(members) }
        let engine = state.engine
        guard let sent = progress.sent, sent >= engine.horizon else {
            if progress.sent != nil {
                counts.horizonMisses.add(members.count, at: HorizonMiss.member.rawValue)
            }
            return beginSnapshot(atLeast: progress.leastSnapshot, members, deliver)
        }
        let start = Span.Start(revision: sent, everyRevision: progress.everyRevision)
        if let known = composing.recentSpans[start] {
            return begin(known, orSnapshotFor: members, deliver)
        }
        // A batch visits all entries since that revision.
        let entries = engine.entryCount(from: sent, to: engine.revision)
        if lends, !start.everyRevision, entries > Room.mostEntriesOfBatch {
            return beginSnapshot(atLeast: start.leastSnapshot, members, deliver)
        }
        // A piece, or three quarters of what this turn has left. The rest is for deflating.
        let most = max(budget.stepsPerPiece, budget.left / 4 * 3)
        if lends, entries > most {
            budget.spend(1)
            return farBehind.append((start, members, entries))
        }
        let maker = maker(with: encoder)
        budget.spend(1 + WorkCost.batchEntry.steps(entries))
        let piece = maker.end(of: start, at: sent, within: most)
        if lends, piece.steps > most || maker.isSnapshotSmaller(start, at: piece.end) {
            return farBehind.append((start, members, entries))
        }
        guard let charge = accounts.reserveChunks(engine.chunkBytes(ofSteps: piece.steps)) else {
            return composing.waitForMemory(members)
        }
        let span = span(of: maker.piece(from: start, at: sent, to: piece.end))
        charge.change(to: 0)
        budget.spend(WorkCost.batchBytes.steps(span.byteCount))
        counts.batchBytes.observe(span.byteCount)
        // Other members may need the same piece later.
        if span.revision < durableRevision, members.count < self.members.list.count {
            composing.recentSpans.add([span], keeping: recentSpanBytes)
        }
        begin(span, orSnapshotFor: members, deliver)
    }

    private func begin(
        _ span: Span, orSnapshotFor members: [Member], _ deliver: Send
    ) {
        if span.isLargerThanSnapshot {
            beginSnapshot(atLeast: span.start.leastSnapshot, members, deliver)
        } else {
            begin(span, members, deliver)
        }
    }

    private func span(of made: SpanMaker.Made) -> Span {
        let span = Span(
            from: made.start, to: made.revision, isLargerThanSnapshot: made.isLargerThanSnapshot)
        span.add(made.frames, isLast: true, in: accounts)
        return span
    }

    /// Bytes of spans that are kept for members that are behind, about.
    private var recentSpanBytes: Int {
        state.engine.chunkBytes(ofSteps: SpanMaker.stepsAtOnce(ofPiece: budget.stepsPerPiece)) / 2
    }

    /// Asks for a worker that makes pieces for members that are far behind.
    private func requestPieces(from starts: [Span.Start], for owner: JobOwner) {
        let encodings = accounts.encodings
        lending.request(for: owner) { [unowned self] in
            let maker = maker(with: MessageEncoder())
            let (accounts, recentSpanBytes) = (accounts, recentSpanBytes)
            return Loan(.output, of: state) { _ in
                maker.pieces(from: starts) { accounts.reserveChunks($0, on: nil) }
            } finish: { result in
                guard let result else { return }
                result.made.lazy.flatMap(\.frames).encode(in: encodings)
            } then: { [unowned self] result in
                guard let (made, charge) = result else {
                    lending.postpone()
                    return composing.waitForMemory()
                }
                charge.change(to: 0)
                // This uses no state: that may be with a worker again.
                composing.recentSpans.add(made.map(span), keeping: recentSpanBytes)
            }
        }
    }

    private func maker(with encoder: MessageEncoder) -> SpanMaker {
        SpanMaker(
            engine: state.engine, revision: durableRevision, channel: .room(handle),
            partBytes: partBytes, encoder: encoder, stepsOfPiece: budget.stepsPerPiece)
    }

    /// Bytes of a frame of a batch or a snapshot. They are few enough that a turn can deflate
    /// several frames.
    var partBytes: Int {
        let bytes = WorkCost.deflatedBytes.units(for: budget.stepsPerShare)
        return min(limits.partBytes, max(Room.leastPartBytes, bytes))
    }

    private static let leastPartBytes = 4096

    func begin(_ span: Span, _ members: [Member], _ deliver: Send) {
        var feed = Feed(span)
        let frames = feed.take(atMost: mostBytes(to: members), in: accounts.encodings)
        budget.spend(1 + WorkCost.delivery.steps(members.count))
        let rest = feed.isAtEnd ? nil : feed
        counts.catchUps.add(members.count, at: span.catchUp.rawValue)
        var tellsAuthors = false
        for member in members {
            member.subscription.sent = span.revision
            if member.subscription.authors { tellsAuthors = true }
            if span.isSnapshot { member.subscription.floor = span.revision }
            member.subscription.feed = rest
            if frames.isEmpty { composing.waitForWalk(member) } else { member.isReady = false }
        }
        if frames.isEmpty { return }
        guard tellsAuthors, let from = span.start.revision else { return deliver(frames, members) }
        let asking = members.filter(\.subscription.authors)
        let others = members.filter { !$0.subscription.authors }
        if !others.isEmpty { deliver(frames, others) }
        deliver(encodeAuthors(above: from, to: span.revision) + frames, asking)
    }

    /// Bytes of a delivery. The rest of the turn has to suffice for deflating it. It is smaller
    /// while very many members are being sent something, as the system may buffer all of it at
    /// once.
    private func mostBytes(to members: [Member]) -> Int {
        let isCrowded = members.count > Room.crowd || composing.receiverCount > Room.crowd
        let most = isCrowded ? Room.deliveryBytes / 4 : Room.deliveryBytes
        return min(most, WorkCost.deflatedBytes.units(for: budget.left / 2))
    }

    private func sendNextPart(to member: Member, _ deliver: Send) {
        guard var feed = member.subscription.feed else { return }
        guard feed.hasNext else {
            budget.spend(1)
            if !feed.isAtEnd { return composing.waitForWalk(member) }
            member.subscription.feed = nil
            return enqueue(member)
        }
        let frames = feed.take(atMost: mostBytes(to: [member]), in: accounts.encodings)
        budget.spend(1 + WorkCost.delivery.steps())
        member.isReady = false
        member.subscription.feed = feed.isAtEnd ? nil : feed
        deliver(frames, [member])
    }
}

extension Span {
    /// How it lets a member catch up.
    var catchUp: CatchUp {
        isSnapshot ? .snapshot : start.everyRevision ? .eachRevision : .batch
    }
}

extension Engine {
    /// A snapshot of the room, in frames. It makes no other copy of the room.
    ///
    /// - Parameter firstPartBytes: the size of the first part, if that is another one.
    package func encodeSnapshot(
        on channel: Channel, partBytes: Int = MessageEncoder.partBytes, firstPartBytes: Int? = nil
    ) -> [EncodedFrame] {
        var encoder = SnapshotEncoder(
            channel: channel, revision: revision, totalItems: UInt64(itemCount),
            partBytes: partBytes, firstPartBytes: firstPartBytes)
        var frames: [EncodedFrame] = []
        forEach(
            section: { section, _ in
                if encoder.isPartFull { frames.append(encoder.takePart()) }
                encoder.append(section)
            },
            item: { item in
                if encoder.isPartFull { frames.append(encoder.takePart()) }
                encoder.append(item)
            })
        frames.append(encoder.finish())
        return frames
    }
}
