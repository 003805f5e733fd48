package import SyncLayout
package import SyncModel
package import SyncWire

// Dragging items of a room in its views.
extension ClientSession {
    /// Begins to drag an item in a view; a member drags one at a time.
    ///
    /// - Parameter began: called when the server has accepted the drag, or with why the item can't
    ///   be dragged.
    package func beginDrag(
        of item: Identifier, in view: ViewNumber, of membership: Membership, isShared: Bool,
        began: @escaping (Result<Void, ClientError>) -> Void
    ) {
        membership.beginDrag(of: item, in: view, isShared: isShared, began: began)
        pump(membership)
        applyPause()
    }

    /// Moves the item to a point, in the content's coordinates. While something else is buffered
    /// for the connection, only the latest point is kept.
    package func drag(to point: ListPoint, in view: ViewNumber, of membership: Membership) {
        membership.drag(to: point, in: view)
        pump(membership)
    }

    /// Finds out where the item would be dropped at the last point. It can't be moved any more.
    package func settleDrag(
        in view: ViewNumber, of membership: Membership,
        settled: @escaping (Result<SettledDrag, ClientError>) -> Void
    ) {
        membership.settleDrag(in: view, settled: settled)
        pump(membership)
        applyPause()
    }

    /// Ends a drag with the transaction that moves its item: the screen stays until the item is
    /// moved.
    package func endDrag(_ number: DragNumber, of membership: Membership, counter: UInt64) {
        membership.endDrag(number, counter: counter)
        pump(membership)
    }

    /// Cancels the drag in a view; everything goes back.
    package func cancelDrag(in view: ViewNumber, of membership: Membership) {
        membership.cancelDrag(in: view)
        pump(membership)
        applyPause()
    }
}
