import SyncLayout
import SyncModel
import SyncWire

/// One view of a room: what is wanted of it, what of that the server was told, and what it shows.
///
/// Invariants:
/// 1. Whatever is wanted and was not told on the connection there is, the next request says; only
///    the latest of it.
/// 2. The bounds that the server has are the screen's, once it has taken in all that was sent.
/// 3. All that is wanted is answered once all is told and an update has come that answers the last
///    request, and no more is to come with it.
struct OpenView {
    let number: ViewNumber
    private(set) var screen: ViewScreen
    private var layout: ViewLayout
    private var overscan: Double

    /// Whether the server was told of the view on this connection.
    private(set) var isTold = false
    private var isLayoutNew = false
    private var areBoundsNew = false
    private var snaps = false
    /// Where the bounds are to go; it is told again on another connection as long as nothing came
    /// of it.
    private var anchor: ItemAnchor?
    private var isAnchorNew = false
    private var isOverscanNew = false
    /// The last request.
    private var serial: UInt64 = 0
    /// The last request that was answered.
    private var answeredSerial: UInt64 = 0
    /// Whether the screen shows all that it is to show.
    private var isWhole = false
    /// The last settings.
    private var settingsNumber: UInt64 = 0

    init(_ number: ViewNumber, layout: ViewLayout, bounds: ListRect, overscan: Double) {
        self.number = number
        self.layout = layout
        self.overscan = overscan
        screen = ViewScreen(bounds: bounds)
    }

    /// Whether nothing is shown yet of what the connection brings.
    var awaitsFirst: Bool { screen.awaitsFirst }

    /// All that it shows now.
    var snapshot: ViewSnapshot {
        var snapshot = screen.snapshot
        snapshot.hasMore = screen.revision != nil && !isWhole
        snapshot.answeredSettings = answeredSettings
        return snapshot
    }

    /// The number of the last settings, if all that is wanted is answered.
    private var answeredSettings: UInt64? {
        isAllTold && answeredSerial == serial && isWhole ? settingsNumber : nil
    }

    /// Has something be otherwise from now on.
    mutating func change(_ change: ViewSettings) {
        settingsNumber = change.number
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

    /// Whether the server knows all that is wanted.
    private var isAllTold: Bool {
        isTold && !isLayoutNew && !areBoundsNew && !isOverscanNew && !isAnchorNew
    }

    /// What the server is to be told; nothing, if it knows all.
    mutating func takeRequest(room: RoomHandle) -> ViewRequest? {
        if isAllTold { return nil }
        serial += 1
        var request = ViewRequest(room: room, view: number, seen: screen.number, serial: serial)
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
        var change = try screen.apply(update)
        isWhole = !update.hasMore
        answeredSerial = update.serial
        change.hasMore = update.hasMore
        change.answeredSettings = answeredSettings
        return change
    }

    mutating func didLoseConnection() {
        isTold = false
        screen.didLoseConnection()
    }
}
