import SyncLayout
import SyncModel
import SyncWire

/// One view of a room: its settings, which of them were sent to the server, and its screen.
///
/// Invariants:
/// 1. The next request has the latest value of every setting that was not sent on the current
///    connection.
/// 2. The server has the screen's bounds once it has processed all requests.
/// 3. A request has a new layout and new bounds together only if they were set together. Bounds
///    that come with a layout are a place in that layout.
/// 4. All settings are answered once all were sent, and an update answers the last request and says
///    that no more follows.
struct OpenView {
    let number: ViewNumber
    private(set) var screen: ViewScreen
    private var layout: ViewLayout
    private var overscan: Double

    /// Whether the view was sent to the server on this connection.
    private(set) var isSent = false
    private var isLayoutNew = false
    private var areBoundsNew = false
    private var isOriginNew = false
    private var snaps = false
    /// The one that is sent first, if a new layout and a new origin of the bounds were set apart.
    private var first: LayoutOrBounds?
    /// Where the bounds are to go. It is resent on another connection until an update
    /// has come.
    private var anchor: ViewAnchor?
    private var isAnchorNew = false
    private var isOverscanNew = false
    /// The number of the last request.
    private var serial: UInt64 = 0
    /// The number of the last answered request.
    private var answeredSerial: UInt64 = 0
    /// Whether the screen is complete.
    private var isComplete = false
    /// The caller's number of the last settings.
    private var settingsNumber: UInt64 = 0

    init(_ number: ViewNumber, layout: ViewLayout, bounds: ListRect, overscan: Double) {
        self.number = number
        self.layout = layout
        self.overscan = overscan
        screen = ViewScreen(bounds: bounds)
    }

    private enum LayoutOrBounds {
        case layout, bounds
    }

    /// Whether no update has come on this connection yet.
    var awaitsFirst: Bool { screen.awaitsFirst }

    /// All that it shows now.
    var snapshot: ViewSnapshot {
        var snapshot = screen.snapshot
        snapshot.hasMore = screen.revision != nil && !isComplete
        snapshot.answeredSettings = answeredSettings
        return snapshot
    }

    /// The number of the last settings, if all settings are answered.
    private var answeredSettings: UInt64? {
        isAllSent && answeredSerial == serial && isComplete ? settingsNumber : nil
    }

    /// Changes some settings.
    mutating func change(_ change: ViewSettings) {
        settingsNumber = change.number
        switch (change.layout != nil, change.origin != nil) {
        case (true, true): first = nil
        case (true, false): first = isOriginNew ? .bounds : nil
        case (false, true): first = isLayoutNew ? .layout : nil
        case (false, false): break
        }
        if let layout = change.layout {
            self.layout = layout
            isLayoutNew = true
        }
        if let origin = change.origin {
            screen.bounds.origin = origin
            areBoundsNew = true
            isOriginNew = true
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

    /// Whether all settings were sent to the server.
    private var isAllSent: Bool {
        isSent && !isLayoutNew && !areBoundsNew && !isOverscanNew && !isAnchorNew
    }

    /// The next request to send; `nil` if all settings were sent.
    mutating func takeRequest(room: RoomHandle) -> ViewRequest? {
        if isAllSent { return nil }
        serial += 1
        var request = ViewRequest(room: room, view: number, seen: screen.number, serial: serial)
        if !isSent { first = nil }
        if !isSent || isLayoutNew && first != .bounds {
            request.layout = layout
            isLayoutNew = false
        }
        if !isSent || isOverscanNew { request.overscan = overscan }
        isOverscanNew = false
        if first != .layout { addBounds(to: &request) }
        first = nil
        isSent = true
        return request
    }

    private mutating func addBounds(to request: inout ViewRequest) {
        if !isSent || areBoundsNew { request.bounds = screen.bounds }
        request.snaps = snaps
        if !isSent {
            // The anchor keeps what the screen shows in place, whatever others changed meanwhile.
            request.anchor = anchor ?? screen.anchor.map { .item($0) }
        } else if isAnchorNew || areBoundsNew {
            request.anchor = anchor
        }
        areBoundsNew = false
        isOriginNew = false
        snaps = false
        isAnchorNew = false
    }

    /// Applies an update. If it shifts the bounds, it shifts the client's current ones.
    mutating func apply(_ update: ViewUpdate) throws(ViewScreenError) -> ViewChange {
        if !isAnchorNew { anchor = nil }
        var change = try screen.apply(update)
        isComplete = !update.hasMore
        answeredSerial = update.serial
        change.hasMore = update.hasMore
        change.answeredSettings = answeredSettings
        return change
    }

    mutating func didLoseConnection() {
        isSent = false
        screen.didLoseConnection()
    }
}
