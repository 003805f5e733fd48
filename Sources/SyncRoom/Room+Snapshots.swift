import SyncEngine
import SyncModel
import SyncWire

// A snapshot is a walk of the live room. No worker needs the state for it.
extension Room {
    /// A turn makes at least so many steps of a walk.
    private static let leastSteps = 64

    /// Begins to send members a snapshot. Uses the latest one if members are being sent it and it
    /// is new enough; otherwise begins another.
    ///
    /// Only one walk is in progress at a time, so the room retains the past of one revision only.
    /// ``RoomPolicy/maximumChunkBytes`` bounds all that members are being sent, except that each
    /// holder may have one snapshot. Beyond that, members wait until others of their holder have
    /// received theirs.
    ///
    /// - Parameter revision: the least revision that serves. A batch of later changes follows the
    ///   snapshot.
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
            restart(stuck)
        }
        guard composing.walk?.span == nil, mayBeginSnapshot(for: members) else {
            return composing.waitForMemory(members)
        }
        let span = Span(from: Span.Start(), to: durableRevision)
        let walk = SnapshotWalk(span, of: state.engine, on: .room(handle), partBytes: partBytes)
        guard let walk else { return composing.composeLater(members) }
        composing.walk = walk
        composing.lastSnapshot = span
        continueWalk()
        begin(span, members, deliver)
    }

    private func mayBeginSnapshot(for members: [Member]) -> Bool {
        if chunkBytes < policy.maximumChunkBytes { return true }
        let receivers = self.members.list.lazy.filter { $0.subscription.feed != nil }
        let holders = Set(receivers.map { ObjectIdentifier($0.holder.top) })
        return members.contains { !holders.contains(ObjectIdentifier($0.holder.top)) }
    }

    /// Whether any holder whose member is being sent a snapshot has memory for more parts of it, or
    /// nobody is being sent it. If there is none, parts are made only as earlier ones are sent.
    private func hasMemory(forReadersOf span: Span) -> Bool {
        var isRead = false
        for member in members.list where member.subscription.feed?.span === span {
            if member.hasMemory { return true }
            isRead = true
        }
        return !isRead
    }

    /// Makes more parts of the snapshot in progress.
    func continueWalk() {
        guard let walk = composing.walk else { return }
        guard let span = walk.span else {
            // All its receivers have left.
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
        if progress == .forgotten { return restart(span) }
        span.add(frames, isLast: progress == .atEnd, in: accounts)
        if span.isComplete || !frames.isEmpty { endWaiting() }
        if progress == .atEnd { composing.walk = nil } else { composing.hasMore = true }
    }

    /// Reserves memory for the next parts. If there is too little, drops the parts that were sent
    /// to all receivers; then no other member can begin with this snapshot. One part may be made
    /// even without memory.
    ///
    /// - Returns: how many steps the walk may make, and the reserved memory.
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
        for member in composing.takeWalkWaiters() { enqueue(member) }
    }

    /// Drops the snapshot in progress: the room has forgotten its revision, or its receivers have
    /// no memory for it. They get another one from its first part on.
    private func restart(_ span: Span) {
        composing.walk = nil
        if composing.lastSnapshot === span { composing.lastSnapshot = nil }
        for member in members.list where member.subscription.feed?.span === span {
            member.subscription.feed = nil
            member.subscription.sent = nil
        }
        endWaiting()
        composing.addAll()
    }

    /// Continues the walk in a state that was read from disk.
    func restartWalk() {
        guard let walk = composing.walk, let span = walk.span else { return }
        if !walk.restart(in: state.engine) { restart(span) }
    }
}
