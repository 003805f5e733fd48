import SyncClient
public import SyncLayout
public import SyncModel

/// Dragging an item: its neighbours make room during the drag. At the end the item is moved once,
/// or everything goes back.
///
///     try await view.beginDrag(of: "milk")
///     view.drag(to: ListPoint(x: 40, y: 310))
///     try await view.endDrag()
///
/// A client drags one item of a room at a time. A drag ends with its connection, its view or its
/// item.
extension CollectionView {
    /// Begins to drag an item of the room, which need not be on the screen, and waits until the
    /// server has accepted it.
    ///
    /// - Parameters:
    ///   - item: the item's id.
    ///   - shared: whether other members see its neighbours make room, too. Members that joined
    ///     with presence always see who drags which item.
    /// - Throws: `notAllowed` if the item is not movable, `badDrag` if there is no such item or
    ///   this client drags one already, `limitExceeded` if too many drags are shared, `unsupported`
    ///   if the server has no drags, `closed` if the view is closed.
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

    /// Moves the item's centre to a point. When an update moves the bounds, the point moves with
    /// them. ``ViewEvent/dragged(to:)`` says where the item would be dropped. Nothing happens
    /// without a drag in this view.
    ///
    /// You may call it for each move of a pointer: while something else is being sent, only the
    /// latest point is pending.
    ///
    /// - Parameter point: a point of the content's coordinates.
    public func drag(to point: ListPoint) {
        host.perform { [channel] session in
            session.drag(
                to: point, in: channel.value.number, of: channel.value.membership)
        }
    }

    /// Drops the item at its last point, and waits until the move is on the server's disk. The
    /// screen stays as it is until then.
    ///
    /// - Returns: the result of the move; `nil` if the item was dropped at its own place.
    /// - Throws: the refusal of the move, as
    ///   ``CollectionRoom/submit(_:base:origin:allOrNothing:)``; `badDrag` if there is no drag in
    ///   this view, or it was cancelled; or why the drag is over. Then everything is back at its
    ///   place.
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

    /// Ends the drag without a move: everything goes back to its place. Nothing happens without a
    /// drag in this view.
    public func cancelDrag() {
        host.perform { [channel] session in
            session.cancelDrag(in: channel.value.number, of: channel.value.membership)
        }
    }
}
