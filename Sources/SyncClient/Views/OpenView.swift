import SyncLayout
import SyncModel
import SyncWire

/// One view of a room: what is wanted of it, what of that the server was told, and what it shows.
///
/// Invariants:
/// 1. Whatever is wanted and was not told on the connection there is, the next request says; only
///    the latest of it.
/// 2. The bounds that the server has are the screen's, once it has taken in all that was sent.
struct OpenView {
    let number: ViewNumber
    private(set) var screen: ViewScreen
    private var layout: String
    private var overscan: Double

    /// Whether the server was told of the view on this connection.
    private(set) var isTold = false
    private var isLayoutNew = false
    private var areBoundsNew = false
    private var snaps = false
    /// Where the bounds are to go; it is told again on another connection as long as nothing came of it.
    private var anchor: ItemAnchor?
    private var isAnchorNew = false
    private var isOverscanNew = false

    init(_ number: ViewNumber, layout: String, bounds: ListRect, overscan: Double) {
        self.number = number
        self.layout = layout
        self.overscan = overscan
        screen = ViewScreen(bounds: bounds)
    }

    /// Whether nothing is shown yet of what the connection brings.
    var awaitsFirst: Bool { screen.awaitsFirst }

    /// Has something be otherwise from now on.
    mutating func change(_ change: ViewSettings) {
        if let layout = change.layout {
            self.layout = layout
            isLayoutNew = true
        }
        if let origin = change.origin {
            screen.bounds.origin = origin
            areBoundsNew = true
            snaps = change.snaps
            anchor = nil
            isAnchorNew = false
        }
        if let anchor = change.anchor {
            self.anchor = anchor
            isAnchorNew = true
        }
        if let size = change.size {
            screen.bounds.size = size
            areBoundsNew = true
        }
        if let overscan = change.overscan {
            self.overscan = overscan
            isOverscanNew = true
        }
    }

    /// What the server is to be told; nothing, if it knows all.
    mutating func takeRequest(room: RoomHandle) -> ViewRequest? {
        guard !isTold || isLayoutNew || areBoundsNew || isOverscanNew || isAnchorNew else {
            return nil
        }
        var request = ViewRequest(room: room, view: number, seen: screen.number)
        if !isTold || isLayoutNew { request.layout = layout }
        if !isTold || areBoundsNew { request.bounds = screen.bounds }
        if !isTold || isOverscanNew { request.overscan = overscan }
        request.snaps = snaps
        if !isTold {
            // What others did meanwhile is not to move what the screen still shows.
            request.anchor = anchor ?? screen.anchor
        } else if isAnchorNew || areBoundsNew {
            request.anchor = anchor
        }
        isTold = true
        isLayoutNew = false
        areBoundsNew = false
        isOverscanNew = false
        snaps = false
        isAnchorNew = false
        return request
    }

    /// Takes an update in. If it moves the bounds, it moves those that the client has by now.
    mutating func apply(_ update: ViewUpdate) throws(ViewScreenError) -> ViewChange {
        if !isAnchorNew { anchor = nil }
        return try screen.apply(update)
    }

    mutating func didLoseConnection() {
        isTold = false
        screen.didLoseConnection()
    }
}
