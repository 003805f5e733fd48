import SyncBytes
import SyncEngine
import SyncWire

/// Makes frames of what happened in a room: on the room's loop, or on a worker that has the state.
struct SpanMaker {
    /// What was made and belongs to nobody yet.
    struct Made {
        let start: Span.Start
        var revision: Revision
        var frames: [EncodedFrame]
    }

    let engine: Engine
    /// The revision that members are brought to.
    let revision: Revision
    let channel: Channel
    let partBytes: Int
    let encoder: MessageEncoder
    /// A piece takes about so many steps at most, if it is not one revision.
    let stepsOfPiece: Int

    /// What a worker makes at once, at most, in steps: its work is to end soon, and what it makes is to be taken soon.
    static func stepsAtOnce(ofPiece stepsOfPiece: Int) -> Int { min(stepsOfPiece, 8192) * 16 }

    // MARK: On the loop

    /// A piece for those who stand somewhere: one batch, or some revisions as a batch each.
    func piece(from start: Span.Start, at from: Revision, to end: Revision) -> Made {
        var made = Made(start: start, revision: end, frames: [])
        guard start.everyRevision else {
            let batch = engine.batch(from: from, to: end)
            made.frames = batch.map { encoder.encode($0, on: channel, partBytes: partBytes) } ?? []
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

    /// Where such a piece ends, and how many steps it is, or more.
    func end(of start: Span.Start, at from: Revision) -> (end: Revision, steps: Int) {
        let most =
            start.everyRevision ? min(revision, from + Room.revisionsPerDelivery) : revision
        return engine.reach(from: from, to: most, stepLimit: stepsOfPiece)
    }

    private func encode(_ batch: Batch, _ bytes: inout Int) -> [EncodedFrame] {
        let frames = encoder.encode(batch, on: channel, partBytes: partBytes)
        bytes += frames.reduce(0) { $0 + $1.plain.count }
        return frames
    }

    // MARK: On a worker

    /// Pieces for several who are far behind: first those that each of them needs next, then those behind, which
    /// more and more of them share. One view of the order advances over all.
    ///
    /// - Parameter reserve: sets memory aside, before they are made.
    func pieces(from starts: [Span.Start], reserve: (Int) -> Charge?) -> (made: [Made], Charge)? {
        var plan = SpanPlan(stepsLeft: SpanMaker.stepsAtOnce(ofPiece: stepsOfPiece))
        var next = starts
        while !next.isEmpty, plan.stepsLeft > 0 {
            var behind: [Span.Start] = []
            for start in next {
                guard let from = start.revision, from >= engine.horizon, from < revision,
                    !plan.has(start)
                else { continue }
                guard plan.stepsLeft > 0 else { break }
                let (end, steps) = end(of: start, at: from)
                plan.add(start, from: from, to: end, steps: 1 + steps)
                behind.append(Span.Start(revision: end, everyRevision: start.everyRevision))
            }
            next = behind
        }
        if let charge = reserve(engine.chunkBytes(ofSteps: plan.steps)) {
            return (make(plan), charge)
        }
        // One of them has to do.
        plan.keepFirst()
        return reserve(engine.chunkBytes(ofSteps: plan.steps)).map { (make(plan), $0) }
    }

    private func make(_ plan: SpanPlan) -> [Made] {
        var made: [Made] = plan.pieces.map { Made(start: $0.start, revision: $0.to, frames: []) }
        var (index, bytes) = (0, 0)
        let spans = plan.batches
        engine.forEachBatch(over: spans.map { ($0.from, $0.to) }) { batch in
            made[spans[index].piece].frames += encode(batch, &bytes)
            index += 1
            return true
        }
        return made.filter { !$0.frames.isEmpty }
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

    mutating func keepFirst() {
        pieces.removeLast(max(0, pieces.count - 1))
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
    /// How many bytes chunks of so many steps take with all their encodings, about: 64 bytes a step, plain and
    /// deflated, but not more than all content.
    func chunkBytes(ofSteps steps: Int) -> Int {
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
