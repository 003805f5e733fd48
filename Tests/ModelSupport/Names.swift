package import SyncModel

/// An id from a text that is known to be valid.
package func id(_ text: String) -> Identifier {
    do {
        return try Identifier(text)
    } catch {
        preconditionFailure("'\(text)' is no identifier")
    }
}

/// What is no name: a writer writes it, and no reader takes it.
package let noName = Identifier(trusted: UnsafeRawBufferPointer(start: nil, count: 0))

/// A room's name from a text that is known to be valid.
package func roomName(_ text: String) -> RoomName {
    guard let name = RoomName(text) else { preconditionFailure("'\(text)' is no room's name") }
    return name
}

extension ListOperation {
    package static func insert(_ name: String, after: String? = nil) -> ListOperation {
        .insert(
            Item(id: id(name)),
            to: Placement(section: id("main"), position: after.map { .after(id($0)) } ?? .end))
    }
}
