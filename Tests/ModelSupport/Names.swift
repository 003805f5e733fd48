package import SyncModel

/// An id from a text that is known to be valid.
package func id(_ text: String) -> Identifier {
    do {
        return try Identifier(text)
    } catch {
        preconditionFailure("'\(text)' is no identifier")
    }
}

extension ListOperation {
    package static func insert(_ name: String, after: String? = nil) -> ListOperation {
        .insert(
            Item(id: id(name)),
            to: Placement(section: id("main"), position: after.map { .after(id($0)) } ?? .end))
    }
}
