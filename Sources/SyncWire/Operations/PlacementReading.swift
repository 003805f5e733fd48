import SyncBytes
import SyncEngine

/// The protocol's message `Placement`.
extension Placement {
    fileprivate enum Number {
        static let section = 1
        static let after = 2
        static let before = 3
        static let index = 4
        static let trail = 5
    }

    /// Reads a placement of an item or, without `forItem`, of a section.
    init(fields bytes: UnsafeRawBufferPointer, forItem: Bool) throws(FieldError) {
        self.init()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.section:
                guard forItem else { throw .malformed }
                section = try reader.identifier()
            case Number.after: position = .after(try reader.identifier())
            case Number.before: position = .before(try reader.identifier())
            case Number.index: position = .index(try reader.uint64())
            case Number.trail:
                guard trail.count < Placement.maximumTrail else {
                    throw .limit("a trail names more than \(Placement.maximumTrail) siblings")
                }
                trail.append(try reader.identifier())
            default: try reader.skip()
            }
        }
    }
}

extension ByteWriter {
    /// Writes a placement, even an empty one.
    mutating func write(_ field: Int, _ placement: Placement) {
        write(message: field) { writer in
            if let section = placement.section { writer.write(Placement.Number.section, section) }
            switch placement.position {
            case .end: break
            case .after(let id): writer.write(Placement.Number.after, id)
            case .before(let id): writer.write(Placement.Number.before, id)
            case .index(let index): writer.write(field: Placement.Number.index, varint: index)
            }
            for id in placement.trail { writer.write(Placement.Number.trail, id) }
        }
    }
}
