package import SyncModel
import SyncTree

/// A walk over a room as it was at one revision, a part at a time, while transactions go on.
///
/// Nodes never move: they are born and die. So between two parts the walk remembers only which
/// nodes it has passed. It is a plain value: the engine does not know of it.
///
/// Invariants:
/// 1. A node that died above the walk's revision stays in its sequence as long as the horizon is at
///    or below that revision. One that died at or below it may be swept between two parts; then the
///    walk goes back to the last one before it that stays.
/// 2. Once the horizon is above its revision, the walk returns ``Progress/forgotten`` and reads
///    nothing.
///
/// # Performance
/// O(1) for each node that is passed, dead ones too, and for each content that was replaced after
/// the revision; ``stepsTaken`` counts both. Beginning is O(k) for the k journal entries after the
/// revision.
package struct RoomWalk {
    package let revision: Revision
    /// How many items the room had at the revision.
    package let itemCount: Int
    package private(set) var stepsTaken = 0
    /// The steps that beginning took.
    private let firstSteps: Int
    private var sections: Cursor
    /// The position in the current section.
    private var items: Cursor?

    package enum Progress: Sendable {
        /// There is more.
        case more
        case atEnd
        /// The room has forgotten the revision.
        case forgotten
    }

    /// How far the walk has passed a sequence.
    private struct Cursor {
        let sequence: OrderTree.SequenceID
        /// The last node that was passed; 0 before the first.
        var node: NodeID = 0
        /// The last passed node that stays in the sequence.
        var anchor: NodeID = 0

        /// The next node, dead or alive; 0 at the end.
        mutating func next(in engine: Engine, at revision: Revision) -> NodeID {
            let next = node == 0 ? engine.tree.first(sequence) : engine.tree.next(node)
            if next != 0 {
                node = next
                if engine.nodes[next].died > revision { anchor = next }
            }
            return next
        }

        /// Goes back to the anchor if the last node was swept meanwhile. That node had died at or
        /// below the revision. If its record says otherwise, the number is free or another node's.
        mutating func recover(in engine: Engine, at revision: Revision) {
            if node != anchor, engine.nodes[node].died > revision { node = anchor }
        }
    }

    /// - Returns: `nil` if the revision is not within the horizon.
    package init?(_ engine: Engine, at revision: Revision) {
        guard revision >= engine.horizon, revision <= engine.revision else { return nil }
        self.revision = revision
        sections = Cursor(sequence: engine.sectionSequence)
        let entries = engine.journal.entries(after: revision)
        var count = engine.itemCount
        for entry in entries {
            guard let node = entry.node, !engine.things[engine.nodes[node].thing].isSection else {
                continue
            }
            count += entry.isDeath ? 1 : -1
        }
        itemCount = count
        firstSteps = 1 + entries.count
        stepsTaken = firstSteps
    }

    /// About how many steps are left, rather too many; at least one, for the end. O(1).
    package func stepsLeft(in engine: Engine) -> Int {
        1 + max(0, engine.contentSteps + engine.deadNodeCount - (stepsTaken - firstSteps))
    }

    /// Reads the next sections and items.
    ///
    /// - Parameters:
    ///   - stepLimit: about how many steps to take. A content that was replaced often may take
    ///     more.
    ///   - visitSection: gets a section, to which the items that follow belong. If it returns
    ///     `false`, the part ends there.
    ///   - visitItem: gets an item; likewise.
    package mutating func read(
        _ engine: Engine, stepLimit: Int, section visitSection: (ListSection) -> Bool,
        item visitItem: (Item) -> Bool
    ) -> Progress {
        guard revision >= engine.horizon, revision <= engine.revision else { return .forgotten }
        sections.recover(in: engine, at: revision)
        items?.recover(in: engine, at: revision)
        let end = stepsTaken + max(1, stepLimit)
        var goesOn = true
        while goesOn, stepsTaken < end {
            stepsTaken += 1
            if let node = items?.next(in: engine, at: revision) {
                if node == 0 {
                    items = nil
                } else if engine.wasAlive(node, at: revision) {
                    goesOn = visitItem(engine.item(body(ofNode: node, in: engine)))
                }
                continue
            }
            let node = sections.next(in: engine, at: revision)
            if node == 0 { return .atEnd }
            guard engine.wasAlive(node, at: revision) else { continue }
            items = Cursor(sequence: engine.nodes[node].sequence)
            goesOn = visitSection(engine.section(body(ofNode: node, in: engine)))
        }
        return .more
    }

    private mutating func body(ofNode node: NodeID, in engine: Engine) -> BlobStore.Reference {
        let body = engine.body(
            of: engine.nodes[node].thing, at: revision, steps: &stepsTaken)
        stepsTaken += Engine.steps(forBytes: engine.blobs.bytes(body).count)
        return body
    }
}
