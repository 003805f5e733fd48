package import SyncLayout
package import SyncModel
package import SyncWire

/// Dragging items of the room. A drag ends with its connection: then everything goes back to its
/// place.
extension Membership {
    /// Begins to drag an item.
    ///
    /// - Parameter began: called when the server has accepted the drag, or with why the item can't
    ///   be dragged.
    func beginDrag(
        of item: Identifier, in view: ViewNumber, isShared: Bool,
        began: @escaping (Result<Void, ClientError>) -> Void
    ) {
        guard screen(of: view) != nil else { return began(.failure(.closed)) }
        guard drags.drag == nil else {
            return began(
                .failure(
                    .refused(
                        code: ErrorCode.badDrag.rawValue,
                        message: "one drag at a time: end or cancel the one before")))
        }
        drags.begin(item, in: view, isShared: isShared, began: began)
    }

    /// Moves the item to a point, unless it is being dropped.
    func drag(to point: ListPoint, in view: ViewNumber) {
        drags.change { drag in
            if drag.view == view, drag.settled == nil { drag.move(to: point) }
        }
    }

    /// Finds out where the item would be dropped.
    ///
    /// - Parameter settled: called when the target of the last point is known; `nil` if it would
    ///   stay where it is.
    func settleDrag(
        in view: ViewNumber, settled: @escaping (Result<SettledDrag, ClientError>) -> Void
    ) {
        guard let drag = drags.drag, drag.view == view, drag.settled == nil else {
            return settled(
                .failure(
                    .refused(
                        code: ErrorCode.badDrag.rawValue, message: "there is no drag to be ended")))
        }
        drags.change { current in
            current.settled = { result in
                settled(
                    result.map { SettledDrag(number: drag.number, item: drag.item, target: $0) })
            }
        }
        answerIfSettled()
    }

    /// Ends a settled drag with the transaction that moves its item.
    func endDrag(_ number: DragNumber, counter: UInt64) {
        if drags.drag?.number == number { _ = drags.end(.end(counter: counter)) }
    }

    /// Cancels the drag in a view.
    func cancelDrag(in view: ViewNumber) {
        guard drags.drag?.view == view, let drag = drags.end(.cancel) else { return }
        fail(drag, .refused(code: ErrorCode.badDrag.rawValue, message: "the drag was cancelled"))
    }

    /// Sends the pending messages of drags.
    func pumpDrags(send: (Drag) -> Void) {
        guard let handle else { return }
        while let message = nextDragMessage(handle) { send(message) }
    }

    private func nextDragMessage(_ handle: RoomHandle) -> Drag? {
        drags.takeMessage(
            room: handle, seen: { lastUpdate(of: $0) }, isSent: { !isWaiting($0) })
    }

    // MARK: Receiving

    func didReceive(_ message: DragTarget) {
        guard let drag = drags.drag, drag.number == message.number else { return }
        var isNew = false
        drags.change { isNew = $0.didReceive(message) }
        if let began = drag.began {
            drags.change { $0.began = nil }
            began(.success(()))
        }
        if isNew { observer?.membershipDidDrag(drag.view, to: message.target) }
        answerIfSettled()
    }

    private func answerIfSettled() {
        guard let drag = drags.drag, drag.isSettled, let settled = drag.settled else { return }
        drags.change { $0.settled = nil }
        settled(.success(drag.target))
    }

    /// The server says that a drag is over, or never began.
    func loseDrag(_ number: DragNumber, _ error: ClientError) {
        if drags.drag?.number == number { loseDrag(error) }
    }

    /// The drag is over, though nobody here has ended it.
    func loseDrag(_ error: ClientError) {
        guard let drag = drags.lose() else { return }
        let isAwaited = drag.began != nil || drag.settled != nil
        fail(drag, error)
        if !isAwaited { observer?.membershipDidLoseDrag(drag.view, error) }
    }

    /// The drag is over, since its view is closed.
    func loseDrag(in view: ViewNumber) {
        if drags.drag?.view == view, let drag = drags.lose() { fail(drag, .closed) }
    }

    private func fail(_ drag: OpenDrag, _ error: ClientError) {
        drag.began?(.failure(error))
        drag.settled?(.failure(error))
    }
}

/// A drag whose target is known, so that it can be ended.
package struct SettledDrag: Sendable {
    package var number: DragNumber
    package var item: Identifier
    /// Where it is to go; `nil` if it stays where it is.
    package var target: DropTarget?
}
