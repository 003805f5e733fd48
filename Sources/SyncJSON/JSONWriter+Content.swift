package import SyncModel

// Items, sections and snapshots.

extension JSONWriter {
    /// Writes an item.
    package mutating func write(_ item: Item) {
        beginObject()
        key("id")
        write(text: item.id.text)
        writeMembers(of: item.content)
        endObject()
    }

    /// Writes a section, without items.
    mutating func write(_ section: ListSection) {
        beginObject()
        writeMembers(of: section, withEmptyFields: false)
        endObject()
    }

    private mutating func writeMembers(of section: ListSection, withEmptyFields: Bool) {
        let parts = section.content.parts
        key("id")
        write(text: section.id.text)
        if withEmptyFields || !parts.fields.isEmpty {
            key("fields")
            write(fields: parts.fields)
        }
        if !parts.supplementaries.isEmpty {
            key("supplementaries")
            beginObject()
            for supplementary in parts.supplementaries { write(supplementary) }
            endObject()
        }
        write(flags: parts.flags)
    }

    private mutating func write(_ supplementary: Supplementary) {
        key(text: supplementary.kind.text)
        beginObject()
        if !supplementary.fields.isEmpty {
            key("fields")
            write(fields: supplementary.fields)
        }
        write(size: supplementary.size)
        endObject()
    }

    mutating func write(size: ListSize?) {
        guard let size else { return }
        key("size")
        beginObject()
        key("width")
        write(number: size.width)
        key("height")
        write(number: size.height)
        endObject()
    }

    private mutating func write(fields: [Field]) {
        beginObject()
        for field in fields {
            key(text: field.name.text)
            write(field.value)
        }
        endObject()
    }

    /// Writes a value; the members of its objects keep their order.
    package mutating func write(_ value: Value) {
        switch value {
        case .null: writeNull()
        case .bool(let flag): write(bool: flag)
        case .number(let number): write(number: number)
        case .text(let text): write(text: text)
        case .list(let values):
            beginList()
            for value in values { write(value) }
            endList()
        case .object(let fields): write(fields: fields)
        }
    }

    // MARK: Snapshots, piece by piece

    /// Begins a line with a room's snapshot. Sections follow, each with its items, then
    /// ``endSnapshot()``. In between, the caller may take the written bytes and call ``reset()``.
    package mutating func beginSnapshot(room: String, revision: Revision) {
        beginObject()
        key("snapshot")
        beginObject()
        key("room")
        write(text: room)
        key("revision")
        write(integer: revision)
        key("sections")
        beginList()
    }

    /// Begins a section of a snapshot; its items follow, then ``endSection()``.
    package mutating func begin(_ section: ListSection) {
        beginObject()
        writeMembers(of: section, withEmptyFields: true)
        key("items")
        beginList()
    }

    /// Ends a section of a snapshot.
    package mutating func endSection() {
        endList()
        endObject()
    }

    /// Ends a snapshot.
    package mutating func endSnapshot() {
        endList()
        endObject()
        endObject()
    }
}
