import SyncModel

// Batches and their stages.

extension JSONWriter {
    mutating func write(_ batch: Batch) {
        beginBatch(batch)
        for stage in batch.stages { write(stage) }
        endList()
        member("sections", batch.sections)
        list("counts", batch.counts) { $0.write($1) }
        endObject()
    }

    /// Begins a batch, up to its stages.
    mutating func beginBatch(_ batch: Batch) {
        beginObject()
        member("from", batch.from)
        member("to", batch.to)
        key("stages")
        beginList()
    }

    mutating func write(_ count: SectionCount) {
        beginObject()
        member("section", count.section)
        member("items", count.items)
        endObject()
    }

    mutating func write(_ stage: Stage) {
        beginObject()
        for list in StageList.allCases where !list.isEmpty(in: stage) {
            key(list.name)
            beginList()
            writeElements(of: list, in: stage)
            endList()
        }
        endObject()
    }

    /// Writes the elements of one list of a stage.
    mutating func writeElements(of list: StageList, in stage: Stage) {
        switch list {
        case .reloads: for item in stage.reloads { write(item) }
        case .changedSections: for section in stage.changedSections { write(section) }
        case .insertSections: for section in stage.insertSections { write(section) }
        case .moveSections:
            for move in stage.moveSections {
                beginObject()
                member("from", move.from)
                member("to", move.to)
                endObject()
            }
        case .deletes: for path in stage.deletes { write(path) }
        case .inserts: for item in stage.inserts { write(item) }
        case .moves:
            for move in stage.moves {
                beginObject()
                key("from")
                write(move.from)
                key("to")
                write(move.to)
                endObject()
            }
        case .deleteSections: for index in stage.deleteSections { write(integer: index) }
        }
    }

    mutating func write(_ path: ItemPath) {
        beginObject()
        writeMembers(of: path)
        endObject()
    }

    mutating func writeMembers(of path: ItemPath) {
        member("section", path.section)
        member("item", path.item)
    }

    private mutating func write(_ placed: Stage.PlacedItem) {
        beginObject()
        writeMembers(of: placed.path)
        key("content")
        write(placed.item)
        endObject()
    }

    private mutating func write(_ placed: Stage.PlacedSection) {
        beginObject()
        member("section", placed.index)
        key("content")
        write(placed.section)
        endObject()
    }

    mutating func member(_ name: StaticString, _ integer: some BinaryInteger) {
        key(name)
        write(integer: integer)
    }

    /// Writes a list as the member `name`, unless it is empty.
    mutating func list<Element>(
        _ name: StaticString, _ elements: [Element],
        _ writeElement: (inout JSONWriter, Element) -> Void
    ) {
        guard !elements.isEmpty else { return }
        key(name)
        beginList()
        for element in elements { writeElement(&self, element) }
        endList()
    }
}
