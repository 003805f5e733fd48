import SyncLayout
import SyncModel
import SyncWire

/// Messages about drags, for the published vectors.
extension ExampleMessages {
    static func clientDrags() throws -> [(name: String, message: ClientMessage)] {
        let milk = Identifier("milk")
        return [
            ("drag: begin", .drag(Drag(room: 7, number: 1, .begin(milk, view: 1, isShared: true)))),
            (
                "drag: update",
                .drag(
                    Drag(
                        room: 7, number: 1, .update(ListPoint(x: 10, y: 240.5), number: 3, seen: 12)
                    ))
            ),
            ("drag: end", .drag(Drag(room: 7, number: 1, .end(counter: 5)))),
            ("drag: cancel", .drag(Drag(room: 7, number: 2, .cancel))),
        ]
    }

    static func serverDrags() throws -> [(name: String, message: ServerMessage)] {
        let target = DropTarget(section: Identifier("done"), after: Identifier("eggs"))
        let dragged = DraggedItem(item: Identifier("milk"), target: target)
        return [
            (
                "drag target",
                .dragTarget(DragTarget(room: 7, number: 1, update: 3, target: target))
            ),
            ("drag target: where it is", .dragTarget(DragTarget(room: 7, number: 1))),
            (
                "presence update of one that drags",
                .presenceUpdate(
                    PresenceUpdate(room: 7, client: Identifier("c-ada"), dragged: dragged))
            ),
            (
                "error about a drag",
                .error(
                    ErrorMessage(
                        .notAllowed, "the item is not movable", about: .drag(1, in: 7)))
            ),
        ]
    }
}
