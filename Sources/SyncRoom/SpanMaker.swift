import SyncBytes
package import SyncEngine
import SyncModel
import SyncWire

/// Makes frames of batches: on the room's loop, or on a worker that has the state.
struct SpanMaker {
    /// The frames of a new piece, before they become a ``Span``.
    struct Made {
        let start: Span.Start
        var revision: Revision
        var frames: [EncodedFrame] = []
        /// Whether a snapshot is smaller. Then there are no frames.
        var isLargerThanSnapshot = false
    }

    let engine: Engine
    /// The revision that members are brought to.
    let revision: Revision
    let channel: Channel
    let partBytes: Int
    let encoder: MessageEncoder
    /// A piece takes about so many steps at most, unless it is a single revision.
    let stepsOfPiece: Int

    /// One job makes pieces for at least so many different starts.
    static let mostStartsAtOnce = 32

    /// The steps of one job, at most: it is to end soon, and its pieces are to be sent soon.
    static func stepsAtOnce(ofPiece stepsOfPiece: Int) -> Int {
        min(stepsOfPiece, 7168) * mostStartsAtOnce
    }

    // MARK: On the loop

    func piece(from start: Span.Start, at from: Revision, to end: Revision) -> Made {
        var made = Made(start: start, revision: end)
        guard start.everyRevision else {
            if let batch = engine.batch(from: from, to: end) { add(batch, to: &made) }
            return made
        }
        var bytes = 0
        engine.forEachBatch(from: from, to: end) {
            made.frames += encode($0, &bytes)
            made.revision = $0.to
            return bytes < Room.deliveryBytes
        }
        return made
    }

    /// The end of a piece that takes about so many steps at most, and an upper bound for its steps.
    func end(
        of start: Span.Start, at from: Revision, within stepLimit: Int
    ) -> (end: Revision, steps: Int) {
        if start.everyRevision {
            let most = min(revision, from + Room.revisionsPerDelivery)
            return engine.reach(from: from, to: most, stepLimit: stepLimit)
        }
        // A batch has each changed thing once, however often it was edited. So all content bounds
        // it.
        let whole = engine.entryCount(from: from, to: revision) + engine.contentSteps
        if whole <= stepLimit { return (revision, whole) }
        return engine.reach(from: from, to: revision, stepLimit: stepLimit)
    }

    /// Whether a batch would be cut into pieces, while a snapshot may be smaller than all of them.
    func isSnapshotSmaller(_ start: Span.Start, at end: Revision) -> Bool {
        guard let from = start.revision, !start.everyRevision, end < revision else { return false }
        return engine.entryCount(from: from, to: revision) > engine.itemCount
    }

    /// Adds a batch, unless a snapshot is smaller.
    private func add(_ batch: Batch, to made: inout Made) {
        var bytes = 0
        let frames = encode(batch, &bytes)
        let entries = engine.entryCount(from: batch.from, to: batch.to)
        // One frame is small enough. And a batch with fewer changes than the room has items is
        // smaller than a snapshot.
        if frames.count > 1, entries > engine.itemCount, bytes > engine.contentByteCount {
            made.isLargerThanSnapshot = true
        } else {
            made.frames = frames
        }
    }

    private func encode(_ batch: Batch, _ bytes: inout Int) -> [EncodedFrame] {
        let frames = encoder.encode(batch, on: channel, partBytes: partBytes)
        bytes += frames.reduce(0) { $0 + $1.plain.count }
        return frames
    }

    // MARK: On a worker

    /// Makes pieces for several starts that are far behind: first the next piece of each, then the
    /// pieces after those, which more and more of them share. One pass over the order makes all
    /// batches.
    ///
    /// - Parameter reserve: reserves memory before they are made.
    func pieces(from starts: [Span.Start], reserve: (Int) -> Charge?) -> (made: [Made], Charge)? {
        let most = SpanMaker.stepsAtOnce(ofPiece: stepsOfPiece)
        // Fewer starts get larger pieces. A thing that is edited again and again is in every piece,
        // so larger pieces have fewer bytes in all.
        let share = max(stepsOfPiece, most / starts.count)
        var plan = plan(for: starts, stepLimit: most, ofPiece: share)
        if let charge = reserve(engine.chunkBytes(ofSteps: plan.steps)) {
            return (make(plan), charge)
        }
        // There is too little memory for all of them, so make one.
        plan = self.plan(for: [starts[0]], stepLimit: 1, ofPiece: stepsOfPiece)
        return reserve(engine.chunkBytes(ofSteps: plan.steps)).map { (make(plan), $0) }
    }

    private func plan(for starts: [Span.Start], stepLimit: Int, ofPiece limit: Int) -> SpanPlan {
        var plan = SpanPlan(stepsLeft: stepLimit)
        var next = starts
        while !next.isEmpty, plan.stepsLeft > 0 {
            var behind: [Span.Start] = []
            for start in next {
                guard let from = start.revision, from >= engine.horizon, from < revision,
                    !plan.has(start)
                else { continue }
                guard plan.stepsLeft > 0 else { break }
                let (end, steps) = end(of: start, at: from, within: limit)
                if isSnapshotSmaller(start, at: end) {
                    plan.addRoom(for: start)
                    continue
                }
                plan.add(start, from: from, to: end, steps: 1 + steps)
                behind.append(Span.Start(revision: end, everyRevision: start.everyRevision))
            }
            next = behind
        }
        return plan
    }

    private func make(_ plan: SpanPlan) -> [Made] {
        var made = plan.pieces.map { Made(start: $0.start, revision: $0.to) }
        var (index, bytes) = (0, 0)
        let spans = plan.batches
        engine.forEachBatch(over: spans.map { ($0.from, $0.to) }) { batch in
            let piece = spans[index].piece
            index += 1
            if made[piece].start.everyRevision {
                made[piece].frames += encode(batch, &bytes)
            } else {
                add(batch, to: &made[piece])
            }
            return true
        }
        made += plan.smallerAsSnapshots.map {
            Made(start: $0, revision: revision, isLargerThanSnapshot: true)
        }
        return made.filter { $0.isLargerThanSnapshot || !$0.frames.isEmpty }
    }
}

/// The pieces that a worker is to make.
private struct SpanPlan {
    struct Piece {
        let start: Span.Start
        let from: Revision
        let to: Revision
        let steps: Int
    }

    private(set) var pieces: [Piece] = []
    /// Starts for which a snapshot is smaller than the batches.
    private(set) var smallerAsSnapshots: [Span.Start] = []
    private var starts: Set<Span.Start> = []
    private(set) var stepsLeft: Int

    init(stepsLeft: Int) {
        self.stepsLeft = stepsLeft
    }

    func has(_ start: Span.Start) -> Bool { starts.contains(start) }

    mutating func add(_ start: Span.Start, from: Revision, to: Revision, steps: Int) {
        starts.insert(start)
        pieces.append(Piece(start: start, from: from, to: to, steps: steps))
        stepsLeft -= steps
    }

    var steps: Int { pieces.reduce(0) { $0 + $1.steps } }

    mutating func addRoom(for start: Span.Start) {
        starts.insert(start)
        smallerAsSnapshots.append(start)
        stepsLeft -= 1
    }

    /// The batches of all pieces, in the order of their ends, each with the index of its piece.
    var batches: [(from: Revision, to: Revision, piece: Int)] {
        var batches: [(from: Revision, to: Revision, piece: Int)] = []
        for (index, piece) in pieces.enumerated() {
            if piece.start.everyRevision {
                for from in piece.from..<piece.to { batches.append((from, from + 1, index)) }
            } else {
                batches.append((piece.from, piece.to, index))
            }
        }
        return batches.sorted { ($0.to, $0.from) < ($1.to, $1.from) }
    }
}

extension Engine {
    /// Bytes of the chunks that so many steps make, in all encodings, about: 64 bytes a step, plain
    /// and deflated, but not more than all content.
    package func chunkBytes(ofSteps steps: Int) -> Int {
        let (bytes, overflows) = steps.multipliedReportingOverflow(by: 2 * 64)
        return overflows ? 4 * byteCount : min(bytes, 4 * byteCount)
    }

    /// A batch; `nil` if it takes more than so many steps.
    func batch(from: Revision, to target: Revision, stepLimit: Int) -> Batch? {
        guard steps(ofBatchFrom: from, to: target) <= stepLimit else { return nil }
        return batch(from: from, to: target)
    }

    /// How many steps a batch takes, about.
    func steps(ofBatchFrom from: Revision, to target: Revision) -> Int {
        let entries = entryCount(from: from, to: target)
        let nodes = max(1024, itemCount + deadNodeCount + sectionCount)
        let bytes = entries.multipliedReportingOverflow(by: byteCount / nodes)
        if bytes.overflow { return .max }
        return 1 + WorkCost.batchEntry.steps(entries)
            + WorkCost.batchBytes.steps(bytes.partialValue)
    }
}
