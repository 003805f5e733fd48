import SyncEngine
import SyncModel
import SyncWire

/// Makes states and batches from an input's choices: valid batches between two states, and the same
/// with nonsensical changes.
struct BatchChoices {
    private var choices: InputBytes

    init(_ choices: InputBytes) {
        self.choices = choices
    }

    var isAtEnd: Bool { choices.isAtEnd }

    mutating func below(_ count: Int) -> Int { choices.below(count) }

    // MARK: States

    /// A state of a few sections and items, each at most once.
    mutating func snapshot(at revision: Revision) -> Snapshot {
        var items = Set(0..<16)
        var states: [Snapshot.SectionState] = []
        for number in 0..<4 where !choices.oneIn(4) {
            var state = Snapshot.SectionState(section: section(number))
            for _ in 0..<choices.below(8) {
                guard let item = items.remove(choices.below(16)) else { continue }
                state.items.append(self.item(item))
            }
            states.insert(state, at: choices.below(states.count + 1))
        }
        return Snapshot(revision: revision, sections: states)
    }

    private mutating func item(_ number: Int) -> Item {
        let fields = [Field(name: name("f"), value: .number(Double(choices.below(3))))]
        let content = try? ItemContent(fields: fields)
        return Item(id: name("i", number), content: content ?? ItemContent())
    }

    private mutating func section(_ number: Int) -> ListSection {
        let fields = [Field(name: name("f"), value: .number(Double(choices.below(2))))]
        let content = try? SectionContent(fields: fields)
        return ListSection(id: name("s", number), content: content ?? SectionContent())
    }

    // MARK: Batches

    mutating func batch(from held: Snapshot) -> Batch {
        let to = min(
            held.revision + 1 + Revision(choices.below(3)), WireProtocol.greatestNumber)
        var batch = Batch(from: held.revision, to: to, sections: held.sections.count)
        if !choices.oneIn(4) { batch = Batch.difference(from: held, to: snapshot(at: to)) }
        for _ in 0..<choices.below(5) { change(&batch) }
        return batch
    }

    private mutating func change(_ batch: inout Batch) {
        switch choices.below(8) {
        case 0: batch.from = Revision(choices.below(16))
        case 1:
            batch.to =
                choices.oneIn(4) ? WireProtocol.greatestNumber : Revision(choices.below(16))
        case 2: batch.sections = index()
        case 3: batch.counts.append(SectionCount(section: index(), items: index()))
        case 4: batch.stages.insert(Stage(), at: choices.below(batch.stages.count + 1))
        case 5 where !batch.stages.isEmpty:
            batch.stages.remove(at: choices.below(batch.stages.count))
        default:
            if batch.stages.isEmpty { batch.stages.append(Stage()) }
            change(&batch.stages[choices.below(batch.stages.count)])
        }
    }

    private mutating func change(_ stage: inout Stage) {
        switch choices.below(12) {
        case 0: stage.reloads.append(placedItem())
        case 1: stage.changedSections.append(placedSection())
        case 2: stage.insertSections.append(placedSection())
        case 3: stage.moveSections.append(Stage.SectionMove(from: index(), to: index()))
        case 4: stage.deletes.append(path())
        case 5: stage.inserts.append(placedItem())
        case 6: stage.moves.append(Stage.ItemMove(from: path(), to: path()))
        case 7: stage.deleteSections.append(index())
        case 8: if !stage.deletes.isEmpty { stage.deletes.removeLast() }
        case 9: if !stage.inserts.isEmpty { stage.inserts.removeLast() }
        case 10: if !stage.moves.isEmpty { stage.moves.removeLast() }
        default: if !stage.moveSections.isEmpty { stage.moveSections.removeLast() }
        }
    }

    private mutating func placedItem() -> Stage.PlacedItem {
        Stage.PlacedItem(path: path(), item: item(choices.below(20)))
    }

    private mutating func placedSection() -> Stage.PlacedSection {
        Stage.PlacedSection(index: index(), section: section(choices.below(6)))
    }

    private mutating func path() -> ItemPath {
        ItemPath(section: index(), item: index())
    }

    /// An index that the protocol can express, mostly a small one.
    private mutating func index() -> Int {
        let index = choices.below(16)
        return index < 14 ? index : Int(UInt32.max) - (index - 14)
    }
}
