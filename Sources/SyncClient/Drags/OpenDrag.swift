import SyncLayout
import SyncModel
import SyncWire

/// An item that the client holds in a view: what is wanted, what of that the server was told, and
/// where the item would be dropped.
struct OpenDrag {
    let number: DragNumber
    let item: Identifier
    let view: ViewNumber
    let isShared: Bool

    /// Called when the server has taken note of the drag, or it is not to be had.
    var began: ((Result<Void, ClientError>) -> Void)?
    /// Called when the target of the last point is known, or the drag is over before.
    var settled: ((Result<DropTarget?, ClientError>) -> Void)?

    /// Where it would be dropped, as far as the server has told.
    private(set) var target: DropTarget?
    private var isTold = false
    /// Where it is held, if the server is still to be told.
    private var point: ListPoint?
    /// The number of the last update that was sent.
    private var update: UInt64 = 0
    /// The one that the target is of; `nil` before the server has taken note of the drag.
    private var targetUpdate: UInt64?

    init(_ number: DragNumber, of item: Identifier, in view: ViewNumber, isShared: Bool) {
        self.number = number
        self.item = item
        self.view = view
        self.isShared = isShared
    }

    /// Whether the target is that of the last point.
    var isSettled: Bool { point == nil && targetUpdate == update }

    /// Holds it over a point, in the content of the last update of the view.
    mutating func hold(at point: ListPoint) {
        self.point = point
    }

    /// Takes note that an update has moved the bounds: what is held stays where it is on the
    /// screen. What the server was told before, it moves by itself.
    mutating func boundsDidMove(by shift: ListPoint) {
        point? += shift
    }

    /// What the server is to be told next; nothing, if it knows all.
    mutating func takeStep(seen: UInt64) -> Drag.Step? {
        guard isTold else {
            isTold = true
            return .begin(item, view: view, isShared: isShared)
        }
        guard let point else { return nil }
        self.point = nil
        update += 1
        return .update(point, number: update, seen: seen)
    }

    /// Takes note of where the server would drop it.
    ///
    /// - Returns: whether that is another place than before, or the first that is known.
    mutating func didReceive(_ message: DragTarget) -> Bool {
        let isNew = targetUpdate == nil || message.target != target
        target = message.target
        targetUpdate = message.update
        return isNew
    }
}

/// What the client drags in a room: one item at a time, and what the server is still to be told of
/// those before.
struct OwnDrags {
    private(set) var drag: OpenDrag?
    private var lastNumber: DragNumber = 0
    /// The ends of drags, in order.
    private var ends: [(number: DragNumber, step: Drag.Step)] = []

    /// Whether the server is awaited.
    var isAwaited: Bool { drag?.began != nil || drag?.settled != nil }

    mutating func begin(
        _ item: Identifier, in view: ViewNumber, isShared: Bool,
        began: @escaping (Result<Void, ClientError>) -> Void
    ) {
        lastNumber &+= 1
        drag = OpenDrag(lastNumber, of: item, in: view, isShared: isShared)
        drag?.began = began
    }

    mutating func change(_ body: (inout OpenDrag) -> Void) {
        if var drag {
            body(&drag)
            self.drag = drag
        }
    }

    /// Ends the drag with a step that is still to be sent.
    ///
    /// - Returns: it, with those who wait for something of it.
    mutating func end(_ step: Drag.Step) -> OpenDrag? {
        guard let drag else { return nil }
        ends.append((drag.number, step))
        self.drag = nil
        return drag
    }

    /// Forgets the drag: the server knows that it is over.
    mutating func lose() -> OpenDrag? {
        defer { drag = nil }
        return drag
    }

    /// Forgets what was to be sent on a connection that is lost.
    mutating func didLoseConnection() {
        ends = []
    }

    /// The next thing that the server is to be told, if there is any.
    ///
    /// - Parameters:
    ///   - seen: the last update of a view that was taken in.
    ///   - isSent: whether a transaction was sent: then its drag can end.
    mutating func takeMessage(
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
