import SyncBytes
package import SyncEngine
import SyncModel
import SyncWire

/// Makes frames of what happened in a room: on the room's loop, or on a worker that has the state.
struct SpanMaker {
    /// What was made and belongs to nobody yet.
    struct Made {
        let start: Span.Start
        var revision: Revision
        var frames: [EncodedFrame] = []
        /// Whether the whole room is less to send. Then there are no frames.
        var isMoreThanRoom = false
    }

    let engine: Engine
    /// The revision that members are brought to.
    let revision: Revision
    let channel: Channel
    let partBytes: Int
    let encoder: MessageEncoder
    /// A piece takes about so many steps at most, if it is not one revision.
    let stepsOfPiece: Int

    /// For so many who begin at different revisions a worker makes something at once, at least.
    static let mostStartsAtOnce = 32

    /// What a worker makes at once, at most, in steps: its work is to end soon, and what it makes
    /// is to be taken soon.
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

    /// Where a piece ends that takes about so many steps at most, and how many it takes, or more.
    func end(
        of start: Span.Start, at from: Revision, within stepLimit: Int
    ) -> (end: Revision, steps: Int) {
        if start.everyRevision {
            let most = min(revision, from + Room.revisionsPerDelivery)
            return engine.reach(from: from, to: most, stepLimit: stepLimit)
        }
        // However often something was edited, one batch tells of it once.
        let whole = engine.entryCount(from: from, to: revision) + engine.contentSteps
        if whole <= stepLimit { return (revision, whole) }
        return engine.reach(from: from, to: revision, stepLimit: stepLimit)
    }

    /// Whether a batch would be cut, though the room may be less to send than all of its pieces.
    func isCutAndMore(_ start: Span.Start, at end: Revision) -> Bool {
        guard let from = start.revision, !start.everyRevision, end < revision else { return false }
        return engine.entryCount(from: from, to: revision) > engine.itemCount
    }

    /// Adds a batch, unless the room is less to send.
    private func add(_ batch: Batch, to made: inout Made) {
        var bytes = 0
        let frames = encode(batch, &bytes)
        let entries = engine.entryCount(from: batch.from, to: batch.to)
        // A batch without as many changes as there are items is less, and one frame is little.
        if frames.count > 1, entries > engine.itemCount, bytes > engine.contentByteCount {
            made.isMoreThanRoom = true
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

    /// Pieces for several who are far behind: first those that each of them needs next, then those
    /// behind, which more and more of them share. One view of the order advances over all.
    ///
    /// - Parameter reserve: sets memory aside, before they are made.
    func pieces(from starts: [Span.Start], reserve: (Int) -> Charge?) -> (made: [Made], Charge)? {
        let most = SpanMaker.stepsAtOnce(ofPiece: stepsOfPiece)
        // The fewer they are, the larger their pieces: what is edited again and again is in each
        // piece.
        let share = max(stepsOfPiece, most / starts.count)
        var plan = plan(for: starts, stepLimit: most, ofPiece: share)
        if let charge = reserve(engine.chunkBytes(ofSteps: plan.steps)) {
            return (make(plan), charge)
        }
        // One of them has to do.
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
                if isCutAndMore(start, at: end) {
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
        made += plan.isRoomLess.map { Made(start: $0, revision: revision, isMoreThanRoom: true) }
        return made.filter { $0.isMoreThanRoom || !$0.frames.isEmpty }
    }
}

/// Which pieces a worker is to make.
private struct SpanPlan {
    struct Piece {
        let start: Span.Start
        let from: Revision
        let to: Revision
        let steps: Int
    }

    private(set) var pieces: [Piece] = []
    /// Where the room is less to send than what came since.
    private(set) var isRoomLess: [Span.Start] = []
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
        isRoomLess.append(start)
        stepsLeft -= 1
    }

    /// The batches that they come to, in the order of their ends, and of which piece each is.
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
    /// How many bytes chunks of so many steps take with all their encodings, about: 64 bytes a
    /// step, plain and deflated, but not more than all content.
    package func chunkBytes(ofSteps steps: Int) -> Int {
        let (bytes, overflows) = steps.multipliedReportingOverflow(by: 2 * 64)
        return overflows ? 4 * byteCount : min(bytes, 4 * byteCount)
    }

    /// A batch, if it takes no more than so many steps.
    func batch(from: Revision, to target: Revision, stepLimit: Int) -> Batch? {
        guard steps(ofBatchFrom: from, to: target) <= stepLimit else { return nil }
        return batch(from: from, to: target)
    }

    /// How many steps a batch takes that brings somebody from a revision to another, about.
    func steps(ofBatchFrom from: Revision, to target: Revision) -> Int {
        let entries = entryCount(from: from, to: target)
        let nodes = max(1024, itemCount + deadNodeCount + sectionCount)
        let bytes = entries.multipliedReportingOverflow(by: byteCount / nodes)
        if bytes.overflow { return .max }
        return 1 + WorkCost.batchEntry.steps(entries)
            + WorkCost.batchBytes.steps(bytes.partialValue)
    }
}
