package import SyncLayout
package import SyncModel
package import SyncWire

// Dragging items of a room in its views.
extension ClientSession {
    /// Takes hold of an item in a view; a member holds one at a time.
    ///
    /// - Parameter began: called when the server has taken note of it, or with why it can't be
    ///   dragged.
    package func beginDrag(
        of item: Identifier, in view: ViewNumber, of membership: Membership, isShared: Bool,
        began: @escaping (Result<Void, ClientError>) -> Void
    ) {
        membership.beginDrag(of: item, in: view, isShared: isShared, began: began)
        pump(membership)
        applyPause()
    }

    /// Holds it over a point, in the content's coordinates. While something else waits for the
    /// connection, only the latest point is kept.
    package func drag(to point: ListPoint, in view: ViewNumber, of membership: Membership) {
        membership.drag(to: point, in: view)
        pump(membership)
    }

    /// Finds out where it goes from the last point; it can't be moved about any more.
    package func settleDrag(
        in view: ViewNumber, of membership: Membership,
        settled: @escaping (Result<SettledDrag, ClientError>) -> Void
    ) {
        membership.settleDrag(in: view, settled: settled)
        pump(membership)
        applyPause()
    }

    /// Ends a drag with the transaction that moves its item: what is seen stays until the move is.
    package func endDrag(_ number: DragNumber, of membership: Membership, counter: UInt64) {
        membership.endDrag(number, counter: counter)
        pump(membership)
    }

    /// Lets go of what is held in a view; everything goes back.
    package func cancelDrag(in view: ViewNumber, of membership: Membership) {
        membership.cancelDrag(in: view)
        pump(membership)
        applyPause()
    }
}
