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
    /// How many revisions one delivery holds for a member that wants each by itself.
    package static let revisionsPerDelivery: Revision = 256

    /// Where members stand that are to be sent the same.
    private struct Standing: Hashable {
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
    /// - Parameter now: milliseconds on a clock that never goes back.
    package func compose(
        with encoder: MessageEncoder, at now: UInt64, deliver: (Delivery) -> Void
    ) {
        if !isSuspended { settleDrags() }
        let listeners = readyListeners
        defer { composePresence(of: listeners, with: encoder, deliver: deliver) }
        if isSuspended { return }
        let viewers = takeDueViewers(at: now)
        defer { composeViews(of: viewers, with: encoder, at: now, deliver: deliver) }
        composeBatches(with: encoder, deliver)
    }

    private func composeBatches(with encoder: MessageEncoder, _ deliver: (Delivery) -> Void) {
        // Most stand where the first does.
        var first: Standing?
        var firstMembers: [Member] = []
        var others: [Standing: [Member]] = [:]
        var order: [Standing] = []
        for member in members.list where member.isReady {
            if member.transfer != nil {
                goOn(member, deliver)
                continue
            }
            guard lacksSomething(member) else { continue }
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
        guard let first else { return }
        compose(first, firstMembers, encoder, deliver)
        for standing in order { compose(standing, others[standing] ?? [], encoder, deliver) }
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
        guard let sent = standing.sent, sent >= state.engine.horizon else {
            return begin(
                snapshot(with: encoder, atLeast: standing.leastSnapshot), members, deliver)
        }
        if standing.everyRevision {
            return composeEach(from: sent, members, encoder, deliver)
        }
        guard let batch = state.engine.batch(from: sent, to: durableRevision) else {
            return begin(snapshot(with: encoder, atLeast: sent), members, deliver)
        }
        let frames = encoder.encode(
            batch, on: .room(handle), partBytes: limits.partBytes)
        let source = Parcel(
            revision: durableRevision, frames: frames, meter: parcelMeter)
        guard frames.count > 1, batch.changeCount > state.engine.itemCount else {
            return begin(source, members, deliver)
        }
        // As many changes as there are items: the room itself may be less to send.
        let whole = snapshot(with: encoder, atLeast: sent)
        begin(whole.byteCount < source.byteCount ? whole : source, members, deliver)
    }

    /// Sends each revision as a batch of its own, some at a time.
    private func composeEach(
        from sent: Revision, _ members: [Member], _ encoder: MessageEncoder,
        _ deliver: (Delivery) -> Void
    ) {
        var frames: [EncodedFrame] = []
        var bytes = 0
        var revision = sent
        let last = min(durableRevision, sent + Room.revisionsPerDelivery)
        state.engine.forEachBatch(from: sent, to: last) { batch in
            let encoded = encoder.encode(
                batch, on: .room(handle), partBytes: limits.partBytes)
            bytes += encoded.reduce(0) { $0 + $1.plain.count }
            frames += encoded
            revision = batch.to
            return bytes < Room.deliveryBytes
        }
        begin(
            Parcel(revision: revision, frames: frames, meter: parcelMeter), members, deliver)
    }

    private func begin(
        _ source: Parcel, _ members: [Member], _ deliver: (Delivery) -> Void
    ) {
        var transfer = Transfer(source)
        let frames = transfer.take(atMost: Room.deliveryBytes)
        budget.spend(Room.steps(frames, to: members.count))
        for member in members {
            member.isReady = false
            member.sent = source.revision
            if source.isSnapshot { member.floor = source.revision }
            member.transfer = transfer.isAtEnd ? nil : transfer
        }
        deliver(Delivery(frames: frames, members: members))
    }

    /// What making frames and sending them takes, about.
    private static func steps(_ frames: ArraySlice<EncodedFrame>, to memberCount: Int) -> Int {
        1 + memberCount + frames.reduce(0) { $0 + $1.plain.count } >> 6
    }

    private func goOn(_ member: Member, _ deliver: (Delivery) -> Void) {
        guard var transfer = member.transfer else { return }
        let frames = transfer.take(atMost: Room.deliveryBytes)
        budget.spend(Room.steps(frames, to: 1))
        member.isReady = false
        member.transfer = transfer.isAtEnd ? nil : transfer
        deliver(Delivery(frames: frames, members: [member]))
    }

    /// The room as frames. One that somebody is still being sent serves again, for those who do not hold
    /// more already: what came since is then sent as a batch.
    private func snapshot(with encoder: MessageEncoder, atLeast revision: Revision) -> Parcel {
        if let made = lastSnapshot, made.revision >= max(state.engine.horizon, revision) {
            return made
        }
        let made = makeSnapshot(with: encoder)
        lastSnapshot = made
        return made
    }

    /// The room as it was at a revision, in frames, if it remembers: those that members are sent now, where that
    /// is the revision.
    package func snapshotFrames(
        at revision: Revision, with encoder: MessageEncoder
    ) -> [EncodedFrame]? {
        if let made = lastSnapshot, made.revision == revision { return made.frames }
        if revision == durableRevision { return makeSnapshot(with: encoder).frames }
        return state.engine.snapshot(at: revision).map { snapshot in
            encoder.encode(snapshot, on: .room(handle), partBytes: limits.partBytes)
        }
    }

    private func makeSnapshot(with encoder: MessageEncoder) -> Parcel {
        let engine = state.engine
        if engine.revision == durableRevision {
            return Parcel(
                revision: durableRevision,
                frames: engine.encodeSnapshot(
                    on: .room(handle), partBytes: limits.partBytes),
                isSnapshot: true, meter: parcelMeter)
        }
        guard let snapshot = engine.snapshot(at: durableRevision) else {
            preconditionFailure("the horizon never passes the durable revision")
        }
        return Parcel(
            revision: durableRevision,
            frames: encoder.encode(
                snapshot, on: .room(handle), partBytes: limits.partBytes),
            isSnapshot: true, meter: parcelMeter)
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

extension Batch {
    /// How many things the batch tells of.
    fileprivate var changeCount: Int {
        stages.reduce(0) { count, stage in
            count + stage.reloads.count + stage.inserts.count + stage.moves.count
                + stage.deletes.count
        }
    }
}
