import SyncEngine
import SyncLayout
import SyncModel

/// A layout of a room, which all viewers share that asked for the same at the same width.
///
/// It follows the room's batches up to what is durable. One that has just been made is of the
/// engine's revision, and nothing of it may be seen before that is durable.
final class SharedLayout {
    let key: LayoutKey
    /// The accounts of the members whose views show it, once for each view. The first has it among
    /// its layouts.
    private var payers: [Account]
    private let place: Charge
    private let work: LayoutWork
    private var laidOut: (layout: CollectionLayout, revision: Revision)?
    /// How many steps it took to bring it up to date the last time.
    private(set) var lastSteps = 0
    /// Why a worker could not lay the room out so; told to whoever asks next.
    private var failure: LayoutError?

    /// Whether it is laid out, and has only batches to follow.
    var isMade: Bool { laidOut != nil }

    /// The revision that it is laid out at; `nil` if it is not.
    var revision: Revision? { laidOut?.revision }

    /// Whether it is laid out as the room is at a revision.
    func isCurrent(at revision: Revision) -> Bool { laidOut?.revision == revision }

    /// Whether there is nothing to be laid out: it failed, which is still to be told.
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

    /// The layout as the room is at a revision; `nil` while it is ahead of that.
    ///
    /// - Parameters:
    ///   - byteLimit: how many bytes it may take.
    ///   - batch: gives the batch from a revision to this one; `nil` where there is none.
    /// - Throws: ``LayoutError`` where the room can't be laid out so; it is tried anew the next
    ///   time.
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

    /// Takes the layout out of it, to be brought up to date, which a worker may do.
    func takeOut(byteLimit: Int) -> LayoutMaking {
        defer { laidOut = nil }
        return LayoutMaking(key: key, work: work, byteLimit: byteLimit, laidOut: laidOut)
    }

    func putBack(_ making: LayoutMaking) {
        laidOut = making.laidOut
        lastSteps = making.steps
    }

    /// Takes note that it can't be laid out.
    func fail(_ error: LayoutError) {
        failure = error
    }

    /// Forgets what is laid out: the engine is another one, or it could not be put back as it was.
    func forget() {
        laidOut = nil
    }
}

/// A layout that is brought up to date, by whoever has the room's state.
struct LayoutMaking {
    let key: LayoutKey
    let work: LayoutWork
    /// How many bytes it may take.
    let byteLimit: Int
    /// What is laid out, and at which revision.
    fileprivate(set) var laidOut: (layout: CollectionLayout, revision: Revision)?
    /// How many steps that took.
    private(set) var steps = 0

    /// Lays out what a batch touches; or all, where nothing is laid out or there is no batch.
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

/// The layouts of a room that somebody views.
struct LayoutTable {
    private var layouts: [LayoutKey: SharedLayout] = [:]
    let work = LayoutWork()

    var count: Int { layouts.count }

    /// How many bytes all take.
    var byteCount: Int { layouts.values.reduce(0) { $0 + $1.byteCount } }

    func isMade(_ key: LayoutKey) -> Bool { layouts[key]?.isMade == true }

    /// Takes a layout for a member's view; `nil` if the room has as many as it may have, or the
    /// member its share.
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

    /// Gives back what a view took. A layout that nobody views is dropped.
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
