import SyncEngine
import SyncLayout

/// A layout of a room, which all viewers share that asked for the same at the same width.
///
/// It follows the room's batches up to what is durable. One that has just been made is of the engine's
/// revision, and nothing of it may be seen before that is durable.
final class SharedLayout {
    let key: LayoutKey
    /// How many views show it.
    fileprivate(set) var viewCount = 0
    private let work: LayoutWork
    private var laidOut: (layout: CollectionLayout, revision: Revision)?

    /// Whether it is laid out, and has only batches to follow.
    var isMade: Bool { laidOut != nil }

    /// Whether it is laid out as the room is at a revision.
    func isCurrent(at revision: Revision) -> Bool { laidOut?.revision == revision }

    /// How many bytes it takes.
    var byteCount: Int { laidOut?.layout.byteCount ?? 0 }

    fileprivate init(_ key: LayoutKey, work: LayoutWork) {
        self.key = key
        self.work = work
    }

    /// The layout as the room is at a revision; `nil` while it is ahead of that.
    ///
    /// - Parameters:
    ///   - byteLimit: how many bytes it may take.
    ///   - batch: gives the batch from a revision to this one; `nil` where there is none.
    /// - Throws: ``LayoutError`` where the room can't be laid out so; it is tried anew the next time.
    func layout(
        at revision: Revision, of engine: Engine, byteLimit: Int, batch: (Revision) -> Batch?
    ) throws(LayoutError) -> CollectionLayout? {
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
        guard let laidOut, laidOut.revision == revision else { return nil }
        return laidOut.layout
    }

    /// Forgets what is laid out: the engine is another one, or it could not be put back as it was.
    func forget() {
        laidOut = nil
    }
}

/// The layouts of a room that somebody views.
struct LayoutTable {
    private var layouts: [LayoutKey: SharedLayout] = [:]
    /// What was done for all of them.
    let work = LayoutWork()

    /// The most layouts a room has at once: each may take some 25 bytes an item.
    static let maximumLayouts = 64

    var count: Int { layouts.count }

    /// How many bytes all take.
    var byteCount: Int { layouts.values.reduce(0) { $0 + $1.byteCount } }

    /// Whether a layout is there and laid out.
    func isMade(_ key: LayoutKey) -> Bool { layouts[key]?.isMade == true }

    /// Takes a layout for a view; `nil` if the room has as many as it may have.
    mutating func take(_ key: LayoutKey) -> SharedLayout? {
        if let known = layouts[key] {
            known.viewCount += 1
            return known
        }
        guard layouts.count < LayoutTable.maximumLayouts else { return nil }
        let layout = SharedLayout(key, work: work)
        layout.viewCount = 1
        layouts[key] = layout
        return layout
    }

    /// Gives back what a view took. A layout that nobody views is dropped.
    mutating func giveBack(_ layout: SharedLayout) {
        layout.viewCount -= 1
        if layout.viewCount == 0 { layouts[layout.key] = nil }
    }

    func forgetAll() {
        forget { _ in true }
    }

    /// Forgets what is laid out in some.
    func forget(where isUnneeded: (SharedLayout) -> Bool) {
        for layout in layouts.values where isUnneeded(layout) { layout.forget() }
    }
}

extension Engine {
    /// The sections as a layout takes them.
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
