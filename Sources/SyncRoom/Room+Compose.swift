import SyncBytes
package import SyncEngine
package import SyncWire

/// Frames for some members, the same for all of them.
package struct Delivery {
    package var frames: ArraySlice<EncodedFrame>
    package var members: [Member]
}

extension Room {
    /// How much one delivery holds, about.
    package static let deliveryBytes = 256 << 10
    /// When so many are being sent something, each is sent less at once.
    private static let crowd = 64
    /// How many revisions one delivery holds for a member that wants each by itself.
    package static let revisionsPerDelivery: Revision = 256

    /// Where members stand that are to be sent the same.
    struct Standing: Hashable {
        /// `nil` for those who need a snapshot.
        var sent: Revision?
        var everyRevision: Bool
        /// No snapshot may be older.
        var leastSnapshot: Revision

        init(_ member: Member) {
            sent = member.sent
            everyRevision = member.everyRevision
            leastSnapshot = member.sent ?? member.leastSnapshot
        }
    }

    /// Makes what the members that can take something lack: one batch for all who were sent the same
    /// revision, a snapshot where there is no batch or it is larger; and behind that, for each of its views,
    /// what is different on its screen, if that is due; and what is different with the others. ``viewsDue``
    /// tells when to come again for more of the views.
    ///
    /// What the turn does not suffice for is left to the next one (``hasMoreToCompose``), and what takes more than
    /// a turn has to a worker (``lend(at:)``).
    ///
    /// - Parameter now: milliseconds on a clock that never goes back.
    package func compose(
        with encoder: MessageEncoder, at now: UInt64, deliver: (Delivery) -> Void
    ) {
        if place == .here { settleDrags() }
        let listeners = takeListeners()
        defer { composePresence(of: listeners, with: encoder, deliver: deliver) }
        if place != .here { return }
        let viewers = takeDueViewers(at: now)
        defer { composeViews(of: viewers, with: encoder, at: now, deliver: deliver) }
        composeBatches(with: encoder, deliver)
    }

    private func composeBatches(with encoder: MessageEncoder, _ deliver: (Delivery) -> Void) {
        errands.forgetWants()
        hasMoreToCompose = false
        line.beginTurn()
        if line.areReceiversFirst {
            composeParts(deliver)
            composeBeginnings(with: encoder, deliver)
        } else {
            composeBeginnings(with: encoder, deliver)
            composeParts(deliver)
        }
        if !hasMoreToCompose { errands.made = [:] }
    }

    /// Sends more to those that are being sent something in parts.
    private func composeParts(_ deliver: (Delivery) -> Void) {
        while budget.left > 0, let member = line.nextReceiver() { goOn(member, deliver) }
        if line.receiverCount > 0 { hasMoreToCompose = true }
    }

    /// Begins to send the others what they lack.
    private func composeBeginnings(with encoder: MessageEncoder, _ deliver: (Delivery) -> Void) {
        // Most stand where the first does.
        var first: Standing?
        var firstMembers: [Member] = []
        var others: [Standing: [Member]] = [:]
        var order: [Standing] = []
        for member in line.takeOthers(of: members.list, at: durableRevision)
        where lacksSomething(member) {
            let standing = Standing(member)
            if first == nil {
                first = standing
                firstMembers.reserveCapacity(members.list.count)
            }
            if first == standing {
                firstMembers.append(member)
            } else {
                if others[standing] == nil { order.append(standing) }
                others[standing, default: []].append(member)
            }
        }
        if let first { compose(first, firstMembers, encoder, deliver) }
        for standing in order { compose(standing, others[standing] ?? [], encoder, deliver) }
    }

    /// Leaves members for the next turn.
    private func composeLater(_ members: [Member]) {
        hasMoreToCompose = true
        for member in members { line.add(member) }
    }

    /// Has a member looked at that has come, or has taken what it was sent.
    func putInLine(_ member: Member) {
        if member.transfer != nil || lacksSomething(member) { line.add(member) }
    }

    private func lacksSomething(_ member: Member) -> Bool {
        guard !member.viewOnly else { return false }
        guard let sent = member.sent else { return true }
        return sent < durableRevision
    }

    private func compose(
        _ standing: Standing, _ members: [Member], _ encoder: MessageEncoder,
        _ deliver: (Delivery) -> Void
    ) {
        guard budget.left > 0 else { return composeLater(members) }
        if let known = knownParcel(for: standing) { return begin(known, members, deliver) }
        let steps = steps(for: standing)
        if lends, steps > budget.stepsPerPiece {
            for member in members { line.add(member) }
            return want(
                standing, for: JobOwner(members[0].holder),
                deflating: members.contains(where: \.readsDeflated))
        }
        budget.spend(steps)
        let parcel = maker(with: encoder).parcel(
            for: standing, orWhole: { knownSnapshot(atLeast: durableRevision) })
        if parcel !== lastSnapshot { take(parcel) }
        begin(parcel, members, deliver)
    }

    /// What was made for members that stand so, or serves them as well. It is counted already.
    private func knownParcel(for standing: Standing) -> Parcel? {
        if !errands.made.isEmpty, let made = errands.made[standing] { return made }
        return needsSnapshot(standing) ? knownSnapshot(atLeast: standing.leastSnapshot) : nil
    }

    private func needsSnapshot(_ standing: Standing) -> Bool {
        guard let sent = standing.sent else { return true }
        return sent < state.engine.horizon
    }

    /// How many steps it takes to make what members lack, about.
    private func steps(for standing: Standing) -> Int {
        let engine = state.engine
        guard let sent = standing.sent, !needsSnapshot(standing) else {
            return ParcelMaker.steps(forSnapshotOf: engine)
        }
        let last =
            standing.everyRevision
            ? min(durableRevision, sent + Room.revisionsPerDelivery) : durableRevision
        return ParcelMaker.steps(forBatchOf: engine, from: sent, to: last)
    }

    /// Has a worker make what members lack, when it is time for that.
    private func want(_ standing: Standing, for owner: JobOwner, deflating: Bool) {
        errands.want(for: owner) { [unowned self] in
            let maker = maker(with: MessageEncoder())
            return Loan(.showing, of: state) { _ in
                maker.parcel(for: standing, orWhole: { nil })
            } finish: { parcel in
                if deflating { parcel.deflate() }
            } then: { [unowned self] parcel in
                errands.made[standing] = parcel
                take(parcel)
            }
        }
    }

    /// Takes what was made, and is known to nobody yet, into account.
    private func take(_ parcel: Parcel) {
        parcel.count(in: parcelMeter)
        if parcel.isSnapshot { lastSnapshot = parcel }
    }

    private func maker(with encoder: MessageEncoder) -> ParcelMaker {
        ParcelMaker(
            engine: state.engine, revision: durableRevision, channel: .room(handle),
            partBytes: partBytes, encoder: encoder)
    }

    /// How large a frame is of a batch or a snapshot: a turn suffices for deflating some.
    private var partBytes: Int {
        let bytes = WorkCost.deflatedBytes.units(for: budget.stepsPerShare)
        return min(limits.partBytes, max(Room.leastPartBytes, bytes))
    }

    private static let leastPartBytes = 4096

    private func begin(
        _ source: Parcel, _ members: [Member], _ deliver: (Delivery) -> Void
    ) {
        var transfer = Transfer(source)
        let frames = transfer.take(atMost: mostBytes(to: members))
        budget.spend(1 + WorkCost.delivery.steps(members.count))
        for member in members {
            member.isReady = false
            member.sent = source.revision
            if source.isSnapshot { member.floor = source.revision }
            member.transfer = transfer.isAtEnd ? nil : transfer
        }
        deliver(Delivery(frames: frames, members: members))
    }

    /// How large a delivery may be: what is left of the turn has to suffice for deflating it. Where very many are sent
    /// something it is less, as the system may take all of it at once.
    private func mostBytes(to members: [Member]) -> Int {
        let isCrowded = members.count > Room.crowd || line.receiverCount > Room.crowd
        let most = isCrowded ? Room.deliveryBytes / 4 : Room.deliveryBytes
        return min(most, WorkCost.deflatedBytes.units(for: budget.left / 2))
    }

    private func goOn(_ member: Member, _ deliver: (Delivery) -> Void) {
        guard var transfer = member.transfer else { return }
        let frames = transfer.take(atMost: mostBytes(to: [member]))
        budget.spend(1 + WorkCost.delivery.steps())
        member.isReady = false
        member.transfer = transfer.isAtEnd ? nil : transfer
        deliver(Delivery(frames: frames, members: [member]))
    }

    /// The room as frames, if somebody is still being sent them: they serve again, for those who do not hold
    /// more already. What came since is then sent as a batch.
    private func knownSnapshot(atLeast revision: Revision) -> Parcel? {
        guard let made = lastSnapshot, made.revision >= max(state.engine.horizon, revision) else {
            return nil
        }
        return made
    }

    /// The room as it was at a revision, in frames of the caller's own, if it remembers. Those that members are being
    /// sent belong to the room's loop: no other thread may deflate them.
    package func snapshotFrames(
        at revision: Revision, with encoder: MessageEncoder
    ) -> [EncodedFrame]? {
        if revision == durableRevision { return maker(with: encoder).snapshot().frames }
        return state.engine.snapshot(at: revision).map { snapshot in
            encoder.encode(snapshot, on: .room(handle), partBytes: limits.partBytes)
        }
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
