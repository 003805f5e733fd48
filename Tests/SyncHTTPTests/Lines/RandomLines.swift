import SeededRandom
import SyncModel
import SyncWire

/// Batches and snapshots with every kind of content. Nobody applies them, so they need not be
/// legal.
extension SplitMix64 {
    mutating func lineBatch() throws -> Batch {
        var batch = Batch(from: UInt64(below(1000)), to: 1000, sections: below(9))
        for _ in 0..<below(4) { batch.stages.append(try lineStage()) }
        for index in 0..<below(5) {
            batch.counts.append(SectionCount(section: index, items: below(300)))
        }
        return batch
    }

    mutating func lineSnapshot() throws -> Snapshot {
        var snapshot = Snapshot(revision: UInt64(below(1000)), sections: [])
        for _ in 0..<below(5) {
            var items: [Item] = []
            for _ in 0..<(chance(50) ? 0 : below(8)) { items.append(try lineItem()) }
            snapshot.sections.append(
                Snapshot.SectionState(section: try lineSection(), items: items))
        }
        return snapshot
    }

    private mutating func lineStage() throws -> Stage {
        var stage = Stage()
        let most = chance(20) ? 0 : 4
        func count(_ generator: inout SplitMix64) -> Int {
            generator.chance(50) ? 0 : generator.below(most + 1)
        }
        for _ in 0..<count(&self) {
            stage.reloads.append(Stage.PlacedItem(path: linePath(), item: try lineItem()))
        }
        for _ in 0..<count(&self) {
            stage.changedSections.append(
                Stage.PlacedSection(index: below(9), section: try lineSection()))
        }
        for _ in 0..<count(&self) {
            stage.insertSections.append(
                Stage.PlacedSection(index: below(9), section: try lineSection()))
        }
        for _ in 0..<count(&self) {
            stage.moveSections.append(Stage.SectionMove(from: 1 + below(9), to: below(9)))
        }
        for _ in 0..<count(&self) { stage.deletes.append(linePath()) }
        for _ in 0..<count(&self) {
            stage.inserts.append(Stage.PlacedItem(path: linePath(), item: try lineItem()))
        }
        for _ in 0..<count(&self) {
            stage.moves.append(Stage.ItemMove(from: linePath(), to: linePath()))
        }
        for _ in 0..<count(&self) { stage.deleteSections.append(below(70_000)) }
        return stage
    }

    private mutating func linePath() -> ItemPath {
        ItemPath(section: below(9), item: 1 + below(200))
    }

    private mutating func lineItem() throws -> Item {
        Item(
            id: try Identifier("i\(below(1000))"),
            content: try ItemContent(
                kind: chance(30) ? "k" : nil,
                size: chance(30) ? ListSize(width: 0.5, height: 44) : nil,
                fields: lineFields(),
                flags: chance(20) ? ItemFlags(rawValue: UInt8(below(32))) : .all))
    }

    private mutating func lineSection() throws -> ListSection {
        ListSection(
            id: try Identifier("s\(below(1000))"),
            content: try SectionContent(fields: lineFields()))
    }

    private mutating func lineFields() -> [Field] {
        let texts = ["", "a", "\"quoted\"", "new\nline", "é語🦜", "\u{0}\u{202E}"]
        return (0..<below(3)).map { index in
            Field(
                name: index == 0 ? "f0" : "f1",
                value: chance(50)
                    ? .text(texts[below(texts.count)]) : .number(Double(below(99)) / 4))
        }
    }

    /// A batch in parts, cut at random places, also within nothing.
    mutating func oddParts(of batch: Batch) throws -> [BatchMessage] {
        var parts: [BatchMessage] = []
        let empty = BatchMessage(
            channel: .room(1),
            batch: Batch(from: batch.from, to: batch.to, sections: batch.sections),
            hasMore: true)
        var part = empty
        for stage in batch.stages {
            var rest = stage
            part.batch.stages.append(Stage())
            while true {
                if chance(40) {
                    parts.append(part)
                    part = empty
                    part.isContinued = true
                    part.batch.stages.append(Stage())
                }
                let last = part.batch.stages.count - 1
                guard rest.passElement(to: &part.batch.stages[last]) else { break }
            }
            if chance(40) {
                parts.append(part)
                part = empty
                if chance(30) { parts.append(empty) }
            }
        }
        for count in batch.counts {
            part.batch.counts.append(count)
            if chance(40) {
                parts.append(part)
                part = empty
            }
        }
        part.hasMore = false
        return parts + [part]
    }
}

extension Stage {
    /// Moves the first element to another stage; `false` if there is none.
    fileprivate mutating func passElement(to other: inout Stage) -> Bool {
        func pass<Element>(_ from: inout [Element], _ to: inout [Element]) -> Bool {
            guard !from.isEmpty else { return false }
            to.append(from.removeFirst())
            return true
        }
        return pass(&reloads, &other.reloads) || pass(&changedSections, &other.changedSections)
            || pass(&insertSections, &other.insertSections)
            || pass(&moveSections, &other.moveSections) || pass(&deletes, &other.deletes)
            || pass(&inserts, &other.inserts) || pass(&moves, &other.moves)
            || pass(&deleteSections, &other.deleteSections)
    }
}
