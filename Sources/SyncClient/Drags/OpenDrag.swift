package import SyncLayout
package import SyncModel
package import SyncWire

/// An item that the client drags in a view: what is still to be sent of the drag, and where the
/// item would be dropped.
package struct OpenDrag {
    package let number: DragNumber
    package let item: Identifier
    package let view: ViewNumber
    package let isShared: Bool

    /// Called when the server has accepted the drag, or with why it failed.
    package var began: ((Result<Void, ClientError>) -> Void)?
    /// Called when the target of the last point is known, or with why the drag ended before.
    package var settled: ((Result<DropTarget?, ClientError>) -> Void)?

    /// Where the item would be dropped, by the server's last message.
    package private(set) var target: DropTarget?
    private var isBeginSent = false
    /// The last point, if it is still to be sent.
    private var point: ListPoint?
    /// The number of the last update that was sent.
    private var update: UInt64 = 0
    /// The number of the update that the target is for; `nil` before the server has accepted the
    /// drag.
    private var targetUpdate: UInt64?

    init(_ number: DragNumber, of item: Identifier, in view: ViewNumber, isShared: Bool) {
        self.number = number
        self.item = item
        self.view = view
        self.isShared = isShared
    }

    /// Whether the target is that of the last point.
    package var isSettled: Bool { point == nil && targetUpdate == update }

    /// Moves the item to a point, in the coordinates of the view's last update.
    package mutating func move(to point: ListPoint) {
        self.point = point
    }

    /// Adapts the pending point to bounds that an update has moved: the item stays where it is on
    /// the screen. The server adapts the points that were sent before.
    package mutating func boundsDidMove(by shift: ListPoint) {
        point? += shift
    }

    /// The next step to send, if there is any.
    mutating func takeStep(seen: UInt64) -> Drag.Step? {
        guard isBeginSent else {
            isBeginSent = true
            return .begin(item, view: view, isShared: isShared)
        }
        guard let point else { return nil }
        self.point = nil
        update += 1
        return .update(point, number: update, seen: seen)
    }

    /// Notes where the server would drop the item.
    ///
    /// - Returns: whether that is another target than before, or the first one.
    package mutating func didReceive(_ message: DragTarget) -> Bool {
        let isNew = targetUpdate == nil || message.target != target
        target = message.target
        targetUpdate = message.update
        return isNew
    }
}

/// The client's drag in a room, one at a time, and the ends of earlier drags that are still to be
/// sent.
package struct OwnDrags {
    package private(set) var drag: OpenDrag?
    private var lastNumber: DragNumber = 0
    /// The ends that are still to be sent, in order.
    private var ends: [(number: DragNumber, step: Drag.Step)] = []

    package init() {}

    /// Whether an answer of the server is awaited.
    var isAwaited: Bool { drag?.began != nil || drag?.settled != nil }

    /// Begins a drag.
    package mutating func begin(
        _ item: Identifier, in view: ViewNumber, isShared: Bool,
        began: @escaping (Result<Void, ClientError>) -> Void
    ) {
        lastNumber &+= 1
        drag = OpenDrag(lastNumber, of: item, in: view, isShared: isShared)
        drag?.began = began
    }

    /// Changes the drag, if there is one.
    package mutating func change(_ body: (inout OpenDrag) -> Void) {
        if var drag {
            body(&drag)
            self.drag = drag
        }
    }

    /// Ends the drag with a step that is still to be sent.
    ///
    /// - Returns: the drag, with its callbacks.
    package mutating func end(_ step: Drag.Step) -> OpenDrag? {
        guard let drag else { return nil }
        ends.append((drag.number, step))
        self.drag = nil
        return drag
    }

    /// Forgets the drag: the server knows that it is over.
    package mutating func lose() -> OpenDrag? {
        defer { drag = nil }
        return drag
    }

    /// Forgets what was to be sent on a connection that is lost.
    mutating func didLoseConnection() {
        ends = []
    }

    /// The next message to send, if there is any.
    ///
    /// - Parameters:
    ///   - seen: the number of the last update that a view applied.
    ///   - isSent: whether a transaction was sent. A drag ends only after its transaction.
    package mutating func takeMessage(
        room: RoomHandle, seen: (ViewNumber) -> UInt64, isSent: (UInt64) -> Bool
    ) -> Drag? {
        if let first = ends.first {
            if case .end(let counter) = first.step, !isSent(counter) { return nil }
            ends.removeFirst()
            return Drag(room: room, number: first.number, first.step)
        }
        guard var drag, let step = drag.takeStep(seen: seen(drag.view)) else { return nil }
        self.drag = drag
        return Drag(room: room, number: drag.number, step)
    }
}
