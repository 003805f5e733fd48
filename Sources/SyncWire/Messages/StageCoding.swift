import SyncBytes
import SyncModel

/// The protocol's message `Stage` and those in it.
extension Stage {
    enum Number {
        static let reloads = 1
        static let changedSections = 2
        static let insertSections = 3
        static let moveSections = 4
        static let deletes = 5
        static let inserts = 6
        static let moves = 7
        static let deleteSections = 8
    }

    init(fields bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.reloads: reloads.append(try PlacedItem(fields: try reader.body()))
            case Number.changedSections:
                changedSections.append(try PlacedSection(fields: try reader.body()))
            case Number.insertSections:
                insertSections.append(try PlacedSection(fields: try reader.body()))
            case Number.moveSections:
                moveSections.append(try SectionMove(fields: try reader.body()))
            case Number.deletes: deletes.append(try ItemPath(fields: try reader.body()))
            case Number.inserts: inserts.append(try PlacedItem(fields: try reader.body()))
            case Number.moves: moves.append(try ItemMove(fields: try reader.body()))
            case Number.deleteSections: try reader.indices(into: &deleteSections)
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        for item in reloads { item.write(to: &writer, as: Number.reloads) }
        for section in changedSections { section.write(to: &writer, as: Number.changedSections) }
        for section in insertSections { section.write(to: &writer, as: Number.insertSections) }
        for move in moveSections { move.write(to: &writer, as: Number.moveSections) }
        for path in deletes { path.write(to: &writer, as: Number.deletes) }
        for item in inserts { item.write(to: &writer, as: Number.inserts) }
        for move in moves { move.write(to: &writer, as: Number.moves) }
        writer.write(Number.deleteSections, packed: deleteSections[...])
    }
}

extension Stage.PlacedItem {
    init(fields bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var path = ItemPath(section: 0, item: 0)
        var content: Item?
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: path.section = try reader.index()
            case 2: path.item = try reader.index()
            case 3: content = try reader.item()
            default: try reader.skip()
            }
        }
        guard let content else { throw .malformed }
        self.init(path: path, item: content)
    }

    func write(to writer: inout ByteWriter, as field: Int) {
        writer.write(message: field) { writer in
            writer.write(1, index: path.section)
            writer.write(2, index: path.item)
            writer.write(3, item)
        }
    }
}

extension Stage.PlacedSection {
    init(fields bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var index = 0
        var content: ListSection?
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: index = try reader.index()
            case 2: content = try reader.section()
            default: try reader.skip()
            }
        }
        guard let content else { throw .malformed }
        self.init(index: index, section: content)
    }

    func write(to writer: inout ByteWriter, as field: Int) {
        writer.write(message: field) { writer in
            writer.write(1, index: index)
            writer.write(2, section)
        }
    }
}

extension Stage.ItemMove {
    init(fields bytes: UnsafeRawBufferPointer) throws(FieldError) {
        let origin = ItemPath(section: 0, item: 0)
        self.init(from: origin, to: origin)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: from.section = try reader.index()
            case 2: from.item = try reader.index()
            case 3: to.section = try reader.index()
            case 4: to.item = try reader.index()
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter, as field: Int) {
        writer.write(message: field) { writer in
            writer.write(1, index: from.section)
            writer.write(2, index: from.item)
            writer.write(3, index: to.section)
            writer.write(4, index: to.item)
        }
    }
}

extension Stage.SectionMove {
    init(fields bytes: UnsafeRawBufferPointer) throws(FieldError) {
        let (from, to) = try FieldReader.pair(bytes)
        self.init(from: from, to: to)
    }

    func write(to writer: inout ByteWriter, as field: Int) {
        writer.write(field, pair: from, to)
    }
}

extension ItemPath {
    init(fields bytes: UnsafeRawBufferPointer) throws(FieldError) {
        let (section, item) = try FieldReader.pair(bytes)
        self.init(section: section, item: item)
    }

    func write(to writer: inout ByteWriter, as field: Int) {
        writer.write(field, pair: section, item)
    }
}

extension SectionCount {
    init(fields bytes: UnsafeRawBufferPointer) throws(FieldError) {
        let (section, items) = try FieldReader.pair(bytes)
        self.init(section: section, items: items)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(1, index: section)
        writer.write(2, index: items)
    }
}

extension FieldReader {
    /// A message of two indices, numbered 1 and 2.
    fileprivate static func pair(_ bytes: UnsafeRawBufferPointer) throws(FieldError) -> (Int, Int) {
        var pair = (0, 0)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: pair.0 = try reader.index()
            case 2: pair.1 = try reader.index()
            default: try reader.skip()
            }
        }
        return pair
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ field: Int, pair first: Int, _ second: Int) {
        write(message: field) { writer in
            writer.write(1, index: first)
            writer.write(2, index: second)
        }
    }

    /// Writes a packed list of indices; nothing if it is empty.
    mutating func write(_ field: Int, packed indices: ArraySlice<Int>) {
        guard !indices.isEmpty else { return }
        write(message: field) { writer in
            for index in indices { writer.write(varint: UInt64(UInt32(clamping: index))) }
        }
    }
}
