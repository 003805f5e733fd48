import SyncClient
import SyncModel
import SyncTerminal

/// The changes of a batch for people, with the numbers and names from a list of the room. Those of
/// deleted items and sections come from the room before the batch, all others from the room after
/// it.
struct PlainChanges {
    /// What happened to an item or section.
    private enum Mark: String {
        case changed = "~"
        case added = "+"
        case moved = ">"
        case deleted = "-"
    }

    private let revision: Revision
    private let before: Replica
    private let after: Replica
    private var items: [(id: Identifier, mark: Mark)] = []
    private var sections: [(id: Identifier, mark: Mark)] = []

    /// Applies the batch, and records its changes.
    init(of batch: Batch, applyingTo replica: inout Replica) {
        revision = batch.to
        before = replica
        var stages: [(stage: Stage, replica: Replica)] = []
        var staged = replica
        for stage in batch.stages {
            stages.append((stage, staged))
            // The client has applied this batch to its own replica, so it fits.
            staged.apply(tried: stage)
        }
        try? replica.apply(batch)
        after = replica
        for (stage, replica) in stages { note(stage, in: replica) }
    }

    private mutating func note(_ stage: Stage, in replica: Replica) {
        items += stage.reloads.map { ($0.item.id, .changed) }
        items += stage.deletes.compactMap { replica.item(at: $0) }.map { ($0.id, .deleted) }
        items += stage.inserts.map { ($0.item.id, .added) }
        items += stage.moves.compactMap { replica.item(at: $0.from) }.map { ($0.id, .moved) }
        sections += stage.changedSections.map { ($0.section.id, .changed) }
        sections += stage.insertSections.map { ($0.section.id, .added) }
        sections += stage.moveSections.compactMap { replica.section(at: $0.from) }
            .map { ($0.id, .moved) }
        sections += stage.deleteSections.compactMap(replica.section(at:))
            .map { ($0.id, .deleted) }
    }

    /// A line for each change, or only their number if there are many. O(n) in a room of n items.
    var text: TerminalText {
        let count = items.count + sections.count
        guard count <= PlainText.longestList else {
            return "Revision \(revision): \(count) changes\n"
        }
        let lines = sectionLines + itemLines
        return PlainText.paragraph(lines, revision: revision)
    }

    private var sectionLines: [TerminalText] {
        if sections.isEmpty { return [] }
        let (old, new) = (PlainChanges.sections(of: before), PlainChanges.sections(of: after))
        return sections.compactMap { id, mark in
            guard let entry = mark == .deleted ? old[id] : new[id] else { return nil }
            let label = PlainText.label(of: entry.section, number: entry.number)
            let was = mark == .moved ? PlainChanges.was(old[id]?.number, entry.number) : ""
            return "  \(mark.rawValue) \(label)\(was)"
        }
    }

    private var itemLines: [TerminalText] {
        if items.isEmpty { return [] }
        let ids = Set(items.map(\.id))
        let (old, new) = (PlainChanges.items(ids, of: before), PlainChanges.items(ids, of: after))
        return items.compactMap { id, mark in
            guard let entry = mark == .deleted ? old[id] : new[id] else { return nil }
            let label = PlainText.label(of: entry.item, number: entry.number)
            let was = mark == .moved ? PlainChanges.was(old[id]?.number, entry.number) : ""
            return "  \(mark.rawValue) \(label)\(was)"
        }
    }

    /// The old number, if it differs from the new one.
    private static func was(_ old: Int?, _ new: Int) -> TerminalText {
        guard let old, old != new else { return "" }
        return ", was \(old)"
    }

    private static func sections(
        of replica: Replica
    ) -> [Identifier: (section: ListSection, number: Int)] {
        let all = (0..<replica.sectionCount).compactMap { index in
            replica.section(at: index).map { ($0.id, (section: $0, number: index + 1)) }
        }
        return Dictionary(all, uniquingKeysWith: { first, _ in first })
    }

    private static func items(
        _ ids: Set<Identifier>, of replica: Replica
    ) -> [Identifier: (item: Item, number: Int)] {
        var found: [Identifier: (item: Item, number: Int)] = [:]
        var number = 0
        replica.forEachItem { item in
            number += 1
            if ids.contains(item.id) { found[item.id] = (item, number) }
        }
        return found
    }
}
