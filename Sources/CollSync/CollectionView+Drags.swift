import SyncClient
public import SyncLayout
public import SyncModel

/// Dragging an item: the others make room live, and in the end it is moved once, or all goes back.
///
///     try await view.beginDrag(of: "milk")
///     view.drag(to: ListPoint(x: 40, y: 310))
///     try await view.endDrag()
///
/// A client drags one item of a room at a time. A drag is over with its connection, its view and its item.
extension CollectionView {
    /// Takes hold of an item of the room, which need not be on the screen, and waits until the server has
    /// taken note of it.
    ///
    /// - Parameters:
    ///   - item: its id.
    ///   - shared: whether the others see its neighbours make room, too. They see in any case who drags what.
    /// - Throws: `notAllowed` if the item is not movable, `badDrag` if there is no such item or a drag is under
    ///   way, `limitExceeded` if too many are shared, `unsupported` if the server has no drags.
    public func beginDrag(
        of item: Identifier, shared: Bool = false
    ) async throws(CollectionError) {
        let _: Void = try await host.ask { [channel] session, answer in
            session.beginDrag(
                of: item, in: channel.value.number, of: channel.value.membership,
                isShared: shared
            ) { answer($0.mapError { CollectionError($0) }) }
        }
    }

    /// Holds the item over a point: its centre is there from then on, also when an update moves the bounds.
    ///
    /// It may be called as often as a pointer moves: of what can't be sent at once only the latest is.
    ///
    /// - Parameter point: in the content's coordinates.
    public func drag(to point: ListPoint) {
        host.perform { [channel] session in
            session.drag(
                to: point, in: channel.value.number, of: channel.value.membership)
        }
    }

    /// Drops the item where it is held, and waits until the move is on disk. What the view shows stays until it
    /// is.
    ///
    /// - Returns: what came of the move; `nil` if it was dropped where it was.
    /// - Throws: the refusal of the move, or why the drag is over; then everything is back at its place.
    @discardableResult
    public func endDrag() async throws(CollectionError) -> Commit? {
        let drag: SettledDrag = try await host.ask { [channel] session, answer in
            session.settleDrag(
                in: channel.value.number, of: channel.value.membership
            ) { answer($0.mapError { CollectionError($0) }) }
        }
        guard let target = drag.target else {
            cancelDrag()
            return nil
        }
        let move = ListOperation.move(drag.item, to: target.placement)
        return try await room.submit([move]) { session, membership, counter in
            session.endDrag(drag.number, of: membership, counter: counter)
        }
    }

    /// Lets go of the item; everything goes back. Nothing happens if none is held.
    public func cancelDrag() {
        host.perform { [channel] session in
            session.cancelDrag(in: channel.value.number, of: channel.value.membership)
        }
    }
}
