import SyncModel

// Batches and their stages.

extension JSONWriter {
    mutating func write(_ batch: Batch) {
        beginObject()
        key("from")
        write(integer: batch.from)
        key("to")
        write(integer: batch.to)
        key("stages")
        beginList()
        for stage in batch.stages { write(stage) }
        endList()
        key("sections")
        write(integer: batch.sections)
        list("counts", batch.counts) { (writer: inout JSONWriter, count) in
            writer.beginObject()
            writer.member("section", count.section)
            writer.member("items", count.items)
            writer.endObject()
        }
        endObject()
    }

    private mutating func write(_ stage: Stage) {
        beginObject()
        list("reloads", stage.reloads) { (writer: inout JSONWriter, item) in writer.write(item) }
        list("changedSections", stage.changedSections) { (writer: inout JSONWriter, section) in
            writer.write(section)
        }
        list("insertSections", stage.insertSections) { (writer: inout JSONWriter, section) in
            writer.write(section)
        }
        list("moveSections", stage.moveSections) { (writer: inout JSONWriter, move) in
            writer.beginObject()
            writer.member("from", move.from)
            writer.member("to", move.to)
            writer.endObject()
        }
        list("deletes", stage.deletes) { (writer: inout JSONWriter, path) in writer.write(path) }
        list("inserts", stage.inserts) { (writer: inout JSONWriter, item) in writer.write(item) }
        list("moves", stage.moves) { (writer: inout JSONWriter, move) in
            writer.beginObject()
            writer.key("from")
            writer.write(move.from)
            writer.key("to")
            writer.write(move.to)
            writer.endObject()
        }
        list("deleteSections", stage.deleteSections) { (writer: inout JSONWriter, index) in
            writer.write(integer: index)
        }
        endObject()
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
