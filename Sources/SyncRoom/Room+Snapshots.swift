import SyncEngine
import SyncModel
import SyncWire

// Snapshots: walks of the live room, which nobody's state is taken away for.
extension Room {
    /// The least part of a walk that a turn makes.
    private static let leastSteps = 64

    /// Begins to send members a snapshot: one that others are being sent, if that is new enough, or
    /// another.
    ///
    /// One walk is under way at a time, so the horizon waits for one revision only. All that
    /// members are being sent is bounded by ``RoomPolicy/maximumChunkBytes``, and one snapshot for
    /// each holder: where it is more, members wait until others of their holder have taken theirs.
    ///
    /// - Parameter revision: the least one that serves. What came since is then sent as a batch.
    func beginSnapshot(
        atLeast revision: Revision, _ members: [Member], _ deliver: Send
    ) {
        if let known = composing.lastSnapshot, known.revision >= max(state.engine.horizon, revision)
        {
            return begin(known, members, deliver)
        }
        if let stuck = composing.walk?.span, members.contains(where: \.hasMemory),
            !hasMemory(forReadersOf: stuck)
        {
            begin(again: stuck)
        }
        guard composing.walk?.span == nil, mayBeginSnapshot(for: members) else {
            return composing.waitForMemory(members)
        }
        let span = Span(from: Span.Start(), to: durableRevision)
        let walk = SnapshotWalk(span, of: state.engine, on: .room(handle), partBytes: partBytes)
        guard let walk else { return composing.composeLater(members) }
        composing.walk = walk
        composing.lastSnapshot = span
        goOnWalking()
        begin(span, members, deliver)
    }

    private func mayBeginSnapshot(for members: [Member]) -> Bool {
        if chunkBytes < policy.maximumChunkBytes { return true }
        let receivers = self.members.list.lazy.filter { $0.subscription.feed != nil }
        let holders = Set(receivers.map { ObjectIdentifier($0.holder.top) })
        return members.contains { !holders.contains(ObjectIdentifier($0.holder.top)) }
    }

    /// Whether one of those who are being sent a snapshot has a share of memory left for more of
    /// it. Who has none is sent it as it takes it.
    private func hasMemory(forReadersOf span: Span) -> Bool {
        var isRead = false
        for member in members.list where member.subscription.feed?.span === span {
            if member.hasMemory { return true }
            isRead = true
        }
        return !isRead
    }

    /// Makes more of the snapshot that is under way.
    func goOnWalking() {
        guard let walk = composing.walk else { return }
        guard let span = walk.span else {
            // All have left.
            composing.walk = nil
            return
        }
        guard budget.left > 0 else {
            composing.hasMore = true
            return
        }
        let steps = min(budget.left / 2, budget.stepsPerPiece)
        let nodes = WorkCost.snapshotNode.units(for: max(Room.leastSteps, steps))
        guard let (nodes, charge) = reserveParts(of: span, steps: nodes) else {
            return composing.waitForMemory()
        }
        let before = walk.stepsTaken
        let (progress, frames) = walk.make(from: state.engine, stepLimit: nodes)
        charge.change(to: 0)
        budget.spend(WorkCost.snapshotNode.steps(walk.stepsTaken - before))
        if progress == .forgotten { return begin(again: span) }
        span.add(frames, isLast: progress == .atEnd, in: accounts)
        if span.isComplete || !frames.isEmpty { endWaiting() }
        if progress == .atEnd { composing.walk = nil } else { composing.hasMore = true }
    }

    /// Sets memory aside for the next parts. Where it is short, the parts go that all have taken
    /// who are being sent them: then the snapshot serves nobody else. One part may be made even if
    /// there is no memory at all.
    ///
    /// - Returns: how many steps may be taken.
    private func reserveParts(of span: Span, steps: Int) -> (steps: Int, charge: Charge)? {
        let bytes = state.engine.chunkBytes(ofSteps: steps)
        let isAllowed = hasMemory(forReadersOf: span)
        if isAllowed, let charge = accounts.reserveChunks(bytes) { return (steps, charge) }
        var least = span.end
        for member in members.list {
            if let feed = member.subscription.feed, feed.span === span {
                least = min(least, feed.next)
            }
        }
        if span.drop(before: least) {
            if composing.lastSnapshot === span { composing.lastSnapshot = nil }
            if isAllowed, let charge = accounts.reserveChunks(bytes) { return (steps, charge) }
        }
        return span.isEmpty ? (min(steps, Room.leastSteps), Charge(in: accounts.chunks)) : nil
    }

    private func endWaiting() {
        for member in composing.takeWalkWaiters() { putInLine(member) }
    }

    /// The room has forgotten the revision of the snapshot that is under way: whoever is sent it
    /// gets another, which takes its place from the first part on.
    private func begin(again span: Span) {
        composing.walk = nil
        if composing.lastSnapshot === span { composing.lastSnapshot = nil }
        for member in members.list where member.subscription.feed?.span === span {
            member.subscription.feed = nil
            member.subscription.sent = nil
        }
        endWaiting()
        composing.addAll()
    }

    /// Goes on with the walk in a state that was read from disk.
    func walkAgain() {
        guard let walk = composing.walk, let span = walk.span else { return }
        if !walk.begin(again: state.engine) { begin(again: span) }
    }
}
