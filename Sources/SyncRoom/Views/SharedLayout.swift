import SyncEngine
import SyncLayout
import SyncModel

/// A layout of a room. All views with the same layout spec and the same environment share it.
///
/// It follows the room's batches up to the durable revision. But a new layout is made at the
/// engine's revision, and may not be used before that is durable.
final class SharedLayout {
    let key: LayoutKey
    /// The accounts of the members whose views show it, once for each view. The first account is
    /// charged for its place.
    private var payers: [Account]
    private let place: Charge
    private let work: LayoutWork
    private var laidOut: (layout: CollectionLayout, revision: Revision)?
    /// How many steps it took to bring it up to date last time.
    private(set) var lastSteps = 0
    /// The error of a worker that could not make it. The next call of
    /// ``layout(at:of:byteLimit:batch:)`` throws it.
    private var failure: LayoutError?

    /// Whether it is laid out, so that it only has to follow batches.
    var isMade: Bool { laidOut != nil }

    /// The revision at which it is laid out; `nil` if it is not.
    var revision: Revision? { laidOut?.revision }

    /// Whether it is laid out at a revision.
    func isCurrent(at revision: Revision) -> Bool { laidOut?.revision == revision }

    /// Whether a worker's error is still to be thrown.
    var hasFailed: Bool { failure != nil }

    var byteCount: Int { laidOut?.layout.byteCount ?? 0 }

    fileprivate init(_ key: LayoutKey, work: LayoutWork, for payer: Account, at place: Charge) {
        self.key = key
        self.work = work
        payers = [payer]
        self.place = place
    }

    fileprivate func add(_ payer: Account) {
        payers.append(payer)
    }

    /// Ends one view of a member. Returns whether it was the last one.
    fileprivate func remove(_ payer: Account) -> Bool {
        guard let index = payers.lastIndex(where: { $0 === payer }) else { return false }
        payers.remove(at: index)
        if let first = payers.first {
            place.move(to: first)
        } else {
            place.change(to: 0)
        }
        return payers.isEmpty
    }

    /// The layout at a revision; `nil` if it is already ahead of that.
    ///
    /// - Parameters:
    ///   - byteLimit: how many bytes it may take.
    ///   - batch: returns the batch from a revision to this one; `nil` if there is none.
    /// - Throws: ``LayoutError`` if the room can't be laid out so. The next call tries again.
    func layout(
        at revision: Revision, of engine: Engine, byteLimit: Int, batch: (Revision) -> Batch?
    ) throws(LayoutError) -> CollectionLayout? {
        if let failure = failure.take() { throw failure }
        if laidOut.map({ $0.revision < revision }) ?? true {
            var making = takeOut(byteLimit: byteLimit)
            try making.bringUpToDate(at: revision, of: engine, batch: batch)
            putBack(making)
        }
        guard let laidOut, laidOut.revision == revision else { return nil }
        return laidOut.layout
    }

    /// Takes the layout out, to be brought up to date. A worker may do that.
    func takeOut(byteLimit: Int) -> LayoutMaking {
        defer { laidOut = nil }
        return LayoutMaking(key: key, work: work, byteLimit: byteLimit, laidOut: laidOut)
    }

    func putBack(_ making: LayoutMaking) {
        laidOut = making.laidOut
        lastSteps = making.steps
    }

    /// Records that it can't be laid out.
    func fail(_ error: LayoutError) {
        failure = error
    }

    /// Drops what is laid out, so that it is made again.
    func forget() {
        laidOut = nil
    }
}

/// A layout while it is brought up to date, on the loop or on a worker that has the room's state.
struct LayoutMaking {
    let key: LayoutKey
    let work: LayoutWork
    /// How many bytes it may take.
    let byteLimit: Int
    /// The layout and its revision; `nil` if there is none yet.
    fileprivate(set) var laidOut: (layout: CollectionLayout, revision: Revision)?
    /// How many steps bringing it up to date took.
    private(set) var steps = 0

    /// Applies a batch to the layout. Makes a new one if there is no layout or no batch.
    mutating func bringUpToDate(
        at revision: Revision, of engine: Engine, batch: (Revision) -> Batch?
    ) throws(LayoutError) {
        let before = work.steps
        let known = laidOut
        laidOut = nil
        if let known, known.revision < revision, let batch = batch(known.revision) {
            known.layout.byteLimit = byteLimit
            try known.layout.apply(batch)
            laidOut = (known.layout, revision)
        } else if let known, known.revision >= revision {
            laidOut = known
        } else {
            let layout = try CollectionLayout(
                key, sources: engine.layoutSections(), byteLimit: byteLimit, work: work)
            laidOut = (layout, engine.revision)
        }
        steps = work.steps - before
    }
}

/// The layouts of a room that views use.
struct LayoutTable {
    private var layouts: [LayoutKey: SharedLayout] = [:]
    let work = LayoutWork()

    var count: Int { layouts.count }

    /// Bytes of all layouts.
    var byteCount: Int { layouts.values.reduce(0) { $0 + $1.byteCount } }

    func isMade(_ key: LayoutKey) -> Bool { layouts[key]?.isMade == true }

    /// A layout for a member's view; `nil` if the room, or the member's share, has no place for
    /// another one.
    mutating func take(_ key: LayoutKey, for member: Member) -> SharedLayout? {
        if let known = layouts[key] {
            known.add(member.share.places.layouts)
            return known
        }
        guard let place = member.share.places.layouts.reserve(1) else { return nil }
        let layout = SharedLayout(key, work: work, for: member.share.places.layouts, at: place)
        layouts[key] = layout
        return layout
    }

    /// Releases the layout of a view. A layout that no view uses is dropped.
    mutating func giveBack(_ layout: SharedLayout, by member: Member) {
        if layout.remove(member.share.places.layouts) { layouts[layout.key] = nil }
    }

    func forget(where isUnneeded: (SharedLayout) -> Bool) {
        for layout in layouts.values where isUnneeded(layout) { layout.forget() }
    }
}

extension Engine {
    fileprivate func layoutSections() -> [SectionSource] {
        var sources: [SectionSource] = []
        sources.reserveCapacity(sectionCount)
        forEachSection { content, sizes in
            sources.append(
                SectionSource(content: content, count: sizes.count, read: sizes.forEachPiece))
        }
        return sources
    }
}
