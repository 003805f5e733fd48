import SyncModel

// Batches, their stages, and snapshots.

extension JSONNode {
    func batch() throws(JSONError) -> Batch {
        var from: Revision?
        var to: Revision?
        var sections: Int?
        var batch = Batch(from: 0, to: 0, sections: 0)
        enum Key: JSONName, CaseIterable { case from, to, stages, sections, counts }
        for member in try members() {
            let node = member.node
            switch try member.key(Key.self) {
            case .from: from = try node.wholeNumber()
            case .to: to = try node.wholeNumber()
            case .stages:
                batch.stages = try node.elements { node throws(JSONError) in try node.stage() }
            case .sections: sections = try node.count()
            case .counts:
                batch.counts = try node.elements { node throws(JSONError) in
                    let (section, items) = try node.pair("section", "items")
                    return SectionCount(section: section, items: items)
                }
            }
        }
        batch.from = try required(from, "from")
        batch.to = try required(to, "to")
        batch.sections = try required(sections, "sections")
        return batch
    }

    private func stage() throws(JSONError) -> Stage {
        var stage = Stage()
        enum Key: JSONName, CaseIterable {
            case reloads, changedSections, insertSections, moveSections
            case deletes, inserts, moves, deleteSections
        }
        for member in try members() {
            let node = member.node
            switch try member.key(Key.self) {
            case .reloads:
                stage.reloads = try node.elements { node throws(JSONError) in
                    try node.placedItem()
                }
            case .changedSections: stage.changedSections = try node.placedSections()
            case .insertSections: stage.insertSections = try node.placedSections()
            case .moveSections:
                stage.moveSections = try node.elements { node throws(JSONError) in
                    let (from, to) = try node.pair("from", "to")
                    return Stage.SectionMove(from: from, to: to)
                }
            case .deletes:
                stage.deletes = try node.elements { node throws(JSONError) in try node.itemPath() }
            case .inserts:
                stage.inserts = try node.elements { node throws(JSONError) in
                    try node.placedItem()
                }
            case .moves:
                stage.moves = try node.elements { node throws(JSONError) in try node.itemMove() }
            case .deleteSections:
                stage.deleteSections = try node.elements { node throws(JSONError) in
                    try node.count()
                }
            }
        }
        return stage
    }

    private func placedItem() throws(JSONError) -> Stage.PlacedItem {
        var section: Int?
        var index: Int?
        var item: Item?
        enum Key: JSONName, CaseIterable { case section, item, content }
        for member in try members() {
            switch try member.key(Key.self) {
            case .section: section = try member.node.count()
            case .item: index = try member.node.count()
            case .content: item = try member.node.item()
            }
        }
        let path = ItemPath(
            section: try required(section, "section"), item: try required(index, "item"))
        return Stage.PlacedItem(path: path, item: try required(item, "content"))
    }

    private func placedSections() throws(JSONError) -> [Stage.PlacedSection] {
        try elements { node throws(JSONError) in
            var index: Int?
            var section: ListSection?
            enum Key: JSONName, CaseIterable { case section, content }
            for member in try node.members() {
                switch try member.key(Key.self) {
                case .section: index = try member.node.count()
                case .content: section = try member.node.section()
                }
            }
            return Stage.PlacedSection(
                index: try node.required(index, "section"),
                section: try node.required(section, "content"))
        }
    }

    private func itemMove() throws(JSONError) -> Stage.ItemMove {
        var from: ItemPath?
        var to: ItemPath?
        enum Key: JSONName, CaseIterable { case from, to }
        for member in try members() {
            switch try member.key(Key.self) {
            case .from: from = try member.node.itemPath()
            case .to: to = try member.node.itemPath()
            }
        }
        return Stage.ItemMove(from: try required(from, "from"), to: try required(to, "to"))
    }

    private func itemPath() throws(JSONError) -> ItemPath {
        let (section, item) = try pair("section", "item")
        return ItemPath(section: section, item: item)
    }

    /// An object with exactly two counts.
    private func pair(_ first: JSONName, _ second: JSONName) throws(JSONError) -> (Int, Int) {
        var one: Int?
        var other: Int?
        for member in try members() {
            switch member {
            case first: one = try member.node.count()
            case second: other = try member.node.count()
            default: throw member.unknownKey(among: [first, second])
            }
        }
        return (try required(one, first), try required(other, second))
    }
}
