import SyncBytes
import SyncEngine
import SyncWire

/// Makes frames of a room's state that bring members to a revision: on the room's loop, or on a worker that
/// has the state.
struct ParcelMaker {
    let engine: Engine
    /// The revision that members are brought to.
    let revision: Revision
    let channel: Channel
    let partBytes: Int
    let encoder: MessageEncoder

    /// What members lack that stand alike.
    ///
    /// - Parameter whole: gives the whole room, if that is known without making it.
    func parcel(for standing: Room.Standing, orWhole whole: () -> Parcel?) -> Parcel {
        guard let sent = standing.sent, sent >= engine.horizon, sent <= revision else {
            return whole() ?? snapshot()
        }
        return standing.everyRevision ? eachBatch(from: sent) : batch(from: sent, orWhole: whole)
    }

    /// The whole room.
    func snapshot() -> Parcel {
        if engine.revision == revision {
            let frames = engine.encodeSnapshot(on: channel, partBytes: partBytes)
            return Parcel(revision: revision, frames: frames, isSnapshot: true)
        }
        guard let snapshot = engine.snapshot(at: revision) else {
            preconditionFailure("the horizon never passes the durable revision")
        }
        let frames = encoder.encode(snapshot, on: channel, partBytes: partBytes)
        return Parcel(revision: revision, frames: frames, isSnapshot: true)
    }

    /// One batch; or the whole room, where that is less to send or there is no batch.
    private func batch(from sent: Revision, orWhole whole: () -> Parcel?) -> Parcel {
        guard let batch = engine.batch(from: sent, to: revision) else {
            return whole() ?? snapshot()
        }
        let frames = encoder.encode(batch, on: channel, partBytes: partBytes)
        let parcel = Parcel(revision: revision, frames: frames)
        guard frames.count > 1, batch.changeCount > engine.itemCount else { return parcel }
        // As many changes as there are items: the room itself may be less to send.
        let snapshot = whole() ?? snapshot()
        return snapshot.byteCount < parcel.byteCount ? snapshot : parcel
    }

    /// Each revision as a batch of its own, some at a time.
    private func eachBatch(from sent: Revision) -> Parcel {
        var frames: [EncodedFrame] = []
        var bytes = 0
        var reached = sent
        let last = min(revision, sent + Room.revisionsPerDelivery)
        engine.forEachBatch(from: sent, to: last) { batch in
            let encoded = encoder.encode(batch, on: channel, partBytes: partBytes)
            bytes += encoded.reduce(0) { $0 + $1.plain.count }
            frames += encoded
            reached = batch.to
            return bytes < Room.deliveryBytes
        }
        return Parcel(revision: reached, frames: frames)
    }
}

extension ParcelMaker {
    /// How many steps a snapshot takes, about.
    static func steps(forSnapshotOf engine: Engine) -> Int {
        let nodes = engine.itemCount + engine.deadNodeCount + engine.sectionCount
        return 1 + WorkCost.snapshotNode.steps(nodes)
            + WorkCost.snapshotBytes.steps(engine.byteCount)
    }

    /// How many steps a batch takes, about.
    static func steps(forBatchOf engine: Engine, from sent: Revision, to target: Revision) -> Int {
        let entries = engine.entryCount(from: sent, to: target)
        let nodes = max(1024, engine.itemCount + engine.deadNodeCount + engine.sectionCount)
        let bytes = entries.multipliedReportingOverflow(by: engine.byteCount / nodes)
        if bytes.overflow { return .max }
        return 1 + WorkCost.batchEntry.steps(entries)
            + WorkCost.batchBytes.steps(bytes.partialValue)
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
