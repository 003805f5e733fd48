import SyncBytes
import SyncModel

/// The protocol's message `Placement`.
extension Placement {
    /// Reads a placement of an item or, without `forItem`, of a section.
    init(fields bytes: UnsafeRawBufferPointer, forItem: Bool) throws(FieldError) {
        self.init()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.section:
                guard forItem else {
                    throw .meaningless(
                        "a section's placement names no section: it stands among the sections")
                }
                section = try reader.identifier()
            case Number.after: position = .after(try reader.identifier())
            case Number.before: position = .before(try reader.identifier())
            case Number.index: position = .index(try reader.number())
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
