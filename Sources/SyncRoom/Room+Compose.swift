import SyncBytes
package import SyncEngine
package import SyncModel
package import SyncWire

extension Room {
    /// Sends frames to some members, the same to all of them.
    package typealias Send = (_ frames: [EncodedFrame], _ members: [Member]) -> Void

    /// How much one delivery holds, about.
    package static let deliveryBytes = 256 << 10
    /// When so many are being sent something, each is sent less at once.
    private static let crowd = 64
    /// How many revisions one delivery holds for a member that wants each by itself.
    package static let revisionsPerDelivery: Revision = 256

    /// More journal entries than this are not looked at for a batch: a snapshot is sent instead.
    static let mostEntriesOfBatch = 1 << 18

    /// Members whose batch takes more than a turn: where they stand, and how many entries came
    /// since.
    private typealias FarBehind = (start: Span.Start, members: [Member], entries: Int)

    /// Makes what the members that can take something lack: one batch for all who were sent the
    /// same revision, a snapshot where there is no batch or it is larger; and behind that, for each
    /// of its views, what is different on its screen, if that is due; and what is different with
    /// the others. ``viewsDue`` tells when to come again for more of the views.
    ///
    /// What the turn does not suffice for is left to the next one (``hasMoreToCompose``). What
    /// takes more than half a turn is cut: a snapshot is a walk, and batches end where others' end,
    /// too. Where even to find what changed takes that long, a worker does it (``lend(at:)``).
    ///
    /// - Parameter now: milliseconds on a clock that never goes back.
    package func compose(
        with encoder: MessageEncoder, at now: UInt64, deliver: Send
    ) {
        if place.isHere, !drags.list.isEmpty { settleDrags() }
        let listeners = takeListeners()
        defer { composePresence(of: listeners, with: encoder, deliver: deliver) }
        if !place.isHere { return }
        let viewers = takeDueViewers(at: now)
        defer { composeViews(of: viewers, with: encoder, at: now, deliver: deliver) }
        composeBatches(with: encoder, deliver)
    }

    private func composeBatches(with encoder: MessageEncoder, _ deliver: Send) {
        lending.forgetWants()
        composing.beginTurn()
        if composing.walk != nil { goOnWalking() }
        if composing.areReceiversFirst {
            composeParts(deliver)
            composeBeginnings(with: encoder, deliver)
        } else {
            composeBeginnings(with: encoder, deliver)
            composeParts(deliver)
        }
    }

    /// Sends more to those that are being sent something in parts.
    private func composeParts(_ deliver: Send) {
        while budget.left > 0, let member = composing.nextReceiver() { goOn(member, deliver) }
        if composing.receiverCount > 0 { composing.hasMore = true }
    }

    /// Begins to send the others what they lack.
    private func composeBeginnings(with encoder: MessageEncoder, _ deliver: Send) {
        // Most stand where the first does.
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
        bringUp(farBehind, deliver)
    }

    /// Has a worker make what those lack for whom that takes more than a turn. Where they stand at
    /// many revisions, the room is sent where it may be less: all of them share that.
    private func bringUp(_ farBehind: [FarBehind], _ deliver: Send) {
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
        if let owner { want(starts, for: owner) }
    }

    /// Forgets what was made for those that are behind, if nobody is.
    private func forgetSpansIfUnneeded() {
        guard !composing.recentSpans.isEmpty, !lending.isShowing,
            members.list.allSatisfy({ $0.subscription.feed == nil && !lacksSomething($0) })
        else { return }
        composing.recentSpans = RecentSpans()
    }

    /// Has a member looked at that has come, or has taken what it was sent.
    func putInLine(_ member: Member) {
        if member.subscription.feed != nil || lacksSomething(member) { composing.add(member) }
    }

    private func lacksSomething(_ member: Member) -> Bool {
        member.subscription.lacks(durableRevision)
    }

    /// - Parameter farBehind: takes those for whom a worker is to make something.
    private func compose(
        _ progress: Subscription.Progress, _ members: [Member], _ encoder: MessageEncoder,
        _ farBehind: inout [FarBehind], _ deliver: Send
    ) {
        guard budget.left > 0 else { return composing.composeLater(members) }
        let engine = state.engine
        guard let sent = progress.sent, sent >= engine.horizon else {
            return beginSnapshot(atLeast: progress.leastSnapshot, members, deliver)
        }
        let start = Span.Start(revision: sent, everyRevision: progress.everyRevision)
        if let known = composing.recentSpans[start] {
            return begin(known, orRoomFor: members, deliver)
        }
        // All that came since is looked at for any batch.
        let entries = engine.entryCount(from: sent, to: engine.revision)
        if lends, !start.everyRevision, entries > Room.mostEntriesOfBatch {
            return beginSnapshot(atLeast: start.leastSnapshot, members, deliver)
        }
        // A piece, or what this turn has left; a part of that is for deflating.
        let most = max(budget.stepsPerPiece, budget.left / 4 * 3)
        if lends, entries > most {
            budget.spend(1)
            return farBehind.append((start, members, entries))
        }
        let maker = maker(with: encoder)
        budget.spend(1 + WorkCost.batchEntry.steps(entries))
        let piece = maker.end(of: start, at: sent, within: most)
        if lends, piece.steps > most || maker.isCutAndMore(start, at: piece.end) {
            return farBehind.append((start, members, entries))
        }
        guard let charge = accounts.reserveChunks(engine.chunkBytes(ofSteps: piece.steps)) else {
            return composing.waitForMemory(members)
        }
        let span = span(of: maker.piece(from: start, at: sent, to: piece.end))
        charge.change(to: 0)
        budget.spend(WorkCost.batchBytes.steps(span.byteCount))
        // Others may come to the same cuts.
        if span.revision < durableRevision, members.count < self.members.list.count {
            composing.recentSpans.add([span], keeping: keptBytes)
        }
        begin(span, orRoomFor: members, deliver)
    }

    private func begin(
        _ span: Span, orRoomFor members: [Member], _ deliver: Send
    ) {
        if span.isMoreThanRoom {
            beginSnapshot(atLeast: span.start.leastSnapshot, members, deliver)
        } else {
            begin(span, members, deliver)
        }
    }

    private func span(of made: SpanMaker.Made) -> Span {
        let span = Span(from: made.start, to: made.revision, isMoreThanRoom: made.isMoreThanRoom)
        span.add(made.frames, isLast: true, in: accounts)
        return span
    }

    /// So many bytes of spans are kept for those that are behind, about.
    private var keptBytes: Int {
        state.engine.chunkBytes(ofSteps: SpanMaker.stepsAtOnce(ofPiece: budget.stepsPerPiece)) / 2
    }

    /// Has a worker make what members lack that are far behind, when it is time for that.
    private func want(_ starts: [Span.Start], for owner: JobOwner) {
        let encodings = accounts.encodings
        lending.want(for: owner) { [unowned self] in
            let maker = maker(with: MessageEncoder())
            let (accounts, keptBytes) = (accounts, keptBytes)
            return Loan(.showing, of: state) { _ in
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
                // The state may be with a worker again.
                composing.recentSpans.add(made.map(span), keeping: keptBytes)
            }
        }
    }

    private func maker(with encoder: MessageEncoder) -> SpanMaker {
        SpanMaker(
            engine: state.engine, revision: durableRevision, channel: .room(handle),
            partBytes: partBytes, encoder: encoder, stepsOfPiece: budget.stepsPerPiece)
    }

    /// How large a frame is of a batch or a snapshot: a turn suffices for deflating some.
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

    /// How large a delivery may be: what is left of the turn has to suffice for deflating it. Where
    /// very many are sent something it is less, as the system may take all of it at once.
    private func mostBytes(to members: [Member]) -> Int {
        let isCrowded = members.count > Room.crowd || composing.receiverCount > Room.crowd
        let most = isCrowded ? Room.deliveryBytes / 4 : Room.deliveryBytes
        return min(most, WorkCost.deflatedBytes.units(for: budget.left / 2))
    }

    private func goOn(_ member: Member, _ deliver: Send) {
        guard var feed = member.subscription.feed else { return }
        guard feed.hasNext else {
            budget.spend(1)
            if !feed.isAtEnd { return composing.waitForWalk(member) }
            member.subscription.feed = nil
            return putInLine(member)
        }
        let frames = feed.take(atMost: mostBytes(to: [member]), in: accounts.encodings)
        budget.spend(1 + WorkCost.delivery.steps())
        member.isReady = false
        member.subscription.feed = feed.isAtEnd ? nil : feed
        deliver(frames, [member])
    }
}

extension Engine {
    /// The room as it is, in frames, without another copy of it.
    package func encodeSnapshot(
        on channel: Channel, partBytes: Int = MessageEncoder.partBytes
    ) -> [EncodedFrame] {
        var encoder = SnapshotEncoder(
            channel: channel, revision: revision, totalItems: UInt64(itemCount),
            partBytes: partBytes)
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
