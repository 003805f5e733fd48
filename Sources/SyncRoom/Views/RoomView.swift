import SyncBytes
import SyncEngine
import SyncLayout
import SyncModel
import SyncWire

/// A view of a room: a viewport on one of its layouts, and the screen that its client was sent.
///
/// Invariants:
/// 1. `screen` is what the client has once it has applied all updates that it was sent, in content
///    order. No two of its elements have the same key, or show the same part of the same thing.
/// 2. The bounds are those of the client once it has applied these updates.
///
/// It takes some 150 bytes for each element on the screen.
final class RoomView {
    let number: ViewNumber
    // Exclusivity checks are off here: they cost time with each update, and no two accesses
    // overlap.
    @exclusivity(unchecked) private(set) var layout: SharedLayout
    /// The layout of the screen, if `layout` was replaced since.
    @exclusivity(unchecked) private(set) var formerLayout: SharedLayout?
    /// Whether the client has asked for something since the last update: bounds, overscan, or a
    /// layout.
    @exclusivity(unchecked) var isChanged = true
    /// Until this time it gets no update for changes of the room.
    @exclusivity(unchecked) var due: UInt64 = 0
    /// Until this time its layout is not brought up to date, see ``ViewPace``.
    @exclusivity(unchecked) var deferredUntil: UInt64 = 0
    @exclusivity(unchecked) var viewport: Viewport
    /// The last request of its client that was read.
    @exclusivity(unchecked) var serial: UInt64 = 0
    /// Whether its client waits for an update, even an empty one.
    @exclusivity(unchecked) var isAwaited = true
    /// The revision of its member's last commit. The client is told that the screen is there, as it
    /// may have no other way to learn of a newer base.
    @exclusivity(unchecked) private var committed: Revision = 0

    @exclusivity(unchecked) var screen: [ScreenElement] = []
    /// The revision of the screen; `nil` before the first update.
    @exclusivity(unchecked) var revision: Revision?
    @exclusivity(unchecked) var contentSize: ListSize?
    /// The point at which its member drags an item, in the content's coordinates.
    @exclusivity(unchecked) var dragPoint: ListPoint?
    /// The ``DragTable/version`` of the screen.
    @exclusivity(unchecked) var dragVersion: UInt64 = 0
    /// Whether the last update had no space for all contents, so that more follow.
    @exclusivity(unchecked) var isPartial = false
    @exclusivity(unchecked) private(set) var updateNumber: UInt64 = 0
    @exclusivity(unchecked) private var lastKey: UInt32 = 0

    init(_ number: ViewNumber, layout: SharedLayout, bounds: ListRect, overscan: Double) {
        self.number = number
        self.layout = layout
        viewport = Viewport(bounds, overscan: overscan)
    }

    /// Changes the layout. Returns a layout that is not needed any more.
    ///
    /// - Parameters:
    ///   - former: the bounds before the request.
    ///   - isPlaced: whether the request says where the bounds are in the new layout.
    func change(
        to layout: SharedLayout, from former: ListRect, isPlaced: Bool
    ) -> SharedLayout? {
        viewport.layoutDidChange(from: former, isPlaced: isPlaced)
        let old = self.layout
        self.layout = layout
        // After several changes the screen is still that of the first layout. Layouts in between
        // were never shown.
        if formerLayout != nil || revision == nil { return old }
        formerLayout = old
        return nil
    }

    func takeFormerLayout() -> SharedLayout? {
        defer { formerLayout = nil }
        return formerLayout
    }

    /// Moves the bounds with the next update. A dragged item stays where it is on the screen.
    func move(by shift: ListPoint) {
        viewport.move(by: shift, in: updateNumber + 1)
        dragPoint? += shift
    }

    /// Bytes that it takes, without its layout.
    var byteCount: Int {
        RoomView.bytesOfNone + MemoryLayout<ScreenElement>.stride * screen.capacity
    }

    /// Bytes of a view with an empty screen, about, including its remembered moves.
    private static let bytesOfNone = 2048

    func nextUpdateNumber() -> UInt64 {
        updateNumber += 1
        return updateNumber
    }

    func makeKey() -> UInt32 {
        lastKey &+= 1
        return lastKey
    }

    func didCommit(_ revision: Revision) { committed = revision }

    /// Whether its member has committed something that a screen of this revision has and the
    /// present one has not.
    func bringsCommit(_ revision: Revision) -> Bool {
        (self.revision ?? 0) < committed && committed <= revision
    }

    /// Starts over: the next update replaces the client's screen.
    func restart() {
        committed = 0
        screen = []
        revision = nil
        contentSize = nil
        isPartial = false
        isChanged = true
        // Its key belongs to the former engine.
        viewport.anchor = nil
    }
}

/// The part of a layout that a view shows, and where it is to go next.
///
/// Updates may move a view's bounds. A client sends its bounds as of the last update that it has
/// seen. So the moves of later updates are added to them.
struct Viewport {
    /// Where the bounds are to go.
    enum Anchor {
        /// To a distance from the bounds' origin to an item's. The item exists at the revision. If
        /// it does not exist at that or a later one, it was deleted.
        case item(ThingKey, distance: ListPoint, revision: Revision)
        /// To the beginning of the content.
        case beginning
    }

    /// Where the bounds go with the next update, if that has another layout than the screen.
    enum Transition {
        /// The first item that was in these bounds of the screen keeps its place there.
        case keepingAnchor(in: ListRect)
        /// They stay where the client has put them in the new layout.
        case placed
    }

    var bounds: ListRect
    /// How far beyond the bounds elements are shown, in points.
    var overscan: Double
    /// Whether the next update moves the bounds to a resting place of the layout.
    var snaps = false
    /// Where the next update moves the bounds.
    var anchor: Anchor?
    /// `nil` if the next update has the layout of the screen.
    private(set) var transition: Transition?
    /// Where the bounds were when the screen was made.
    private(set) var shownBounds: ListRect
    /// The origin that the client sent last, moved by the updates that it has reported as seen.
    private var knownOrigin: ListPoint
    /// The moves of updates that the client has not reported as seen.
    private var moves: [(update: UInt64, shift: ListPoint)] = []

    private static let rememberedMoves = 64
    /// A client's screen may round origins to its pixels. So smaller differences count as none.
    private static let leastDistance = 1.0

    init(_ bounds: ListRect, overscan: Double) {
        self.bounds = bounds
        self.overscan = overscan
        shownBounds = bounds
        knownOrigin = bounds.origin
    }

    /// Sets bounds that the client sent as of an update that it has seen.
    ///
    /// - Returns: whether their origin differs from the one that the client had.
    mutating func move(to bounds: ListRect, seen: UInt64) -> Bool {
        confirm(moves.prefix { $0.update <= seen }.count)
        let known = knownOrigin
        knownOrigin = bounds.origin
        self.bounds = bounds
        for move in moves { self.bounds.origin += move.shift }
        return abs(bounds.x - known.x) >= Viewport.leastDistance
            || abs(bounds.y - known.y) >= Viewport.leastDistance
    }

    /// The client knows the first moves.
    private mutating func confirm(_ count: Int) {
        for move in moves.prefix(count) { knownOrigin += move.shift }
        moves.removeFirst(count)
    }

    /// A request has another layout.
    ///
    /// A place counts until the next update, also if a later request has only another layout.
    fileprivate mutating func layoutDidChange(from former: ListRect, isPlaced: Bool) {
        if isPlaced {
            transition = .placed
        } else if transition == nil {
            transition = .keepingAnchor(in: former)
        }
    }

    /// The screen was made for the bounds.
    mutating func didShow() {
        shownBounds = bounds
        transition = nil
        snaps = false
    }

    /// Moves the bounds with an update.
    mutating func move(by shift: ListPoint, in update: UInt64) {
        moves.append((update, shift))
        // This client does not report what it has seen. Many are removed at once, as each removal
        // copies the rest.
        if moves.count > 2 * Viewport.rememberedMoves {
            confirm(Viewport.rememberedMoves)
        }
        bounds.origin += shift
    }

    /// Converts a point that the client sent as of an update that it has seen to the content of the
    /// last update.
    func place(of point: ListPoint, seen: UInt64) -> ListPoint {
        moves.reduce(into: point) { point, move in
            guard move.update > seen else { return }
            point += move.shift
        }
    }
}

/// A member's views of a room, and the memory that is charged for them.
struct Viewing {
    /// In the order in which it opened them.
    var views: [RoomView] = []
    /// A drag that the room has ended, and why, until the member is sent that.
    var revokedDrag: (number: DragNumber, refusal: RoomRefusal)?
    /// Bytes of updates that it was sent and has not read.
    private var unreadBytes = 0
    private let charge: Charge

    init(of holder: Holder, on tally: Tally?) {
        charge = Charge(in: holder.views, as: .views, on: tally)
    }

    /// Bytes of its views, with updates that are not read yet.
    var byteCount: Int { charge.count }

    /// Counts its views again, and the updates that it is sent.
    mutating func count(unread frames: [EncodedFrame] = []) {
        unreadBytes += frames.reduce(0) { $0 + $1.plain.count }
        charge.change(to: views.reduce(unreadBytes) { $0 + $1.byteCount })
    }

    /// The member has read what it was sent.
    mutating func didRead() {
        guard unreadBytes > 0 else { return }
        unreadBytes = 0
        count()
    }
}

/// The state of a room's views: the members that have views, their layouts, and the times of their
/// updates.
struct RoomViews {
    var members: [Member] = []
    var layouts = LayoutTable()
    var timetable = ViewTimetable()
    var pace = ViewPace()
    /// When the next view is due; `nil` if none is.
    var due: UInt64?
    /// Screens of closed or restarted views.
    private var discardedScreens = Fifo<[ScreenElement]>()
    /// Their bytes.
    private(set) var discardedBytes = 0
    var hasDiscarded: Bool { !discardedScreens.isEmpty }

    /// Takes a view's screen, to be freed step by step: very many views may close at once.
    mutating func takeScreen(of view: RoomView) {
        if view.screen.isEmpty { return }
        discardedBytes += RoomViews.byteCount(of: view.screen)
        discardedScreens.append(view.screen)
        view.screen = []
    }

    /// Frees screens, at least one, in about so many steps.
    ///
    /// - Returns: how many steps that took.
    mutating func freeDiscarded(atMost steps: Int) -> Int {
        var taken = 0
        while taken == 0 || taken < steps, let screen = discardedScreens.popFirst() {
            taken += 1 + WorkCost.goneElement.steps(screen.count)
            discardedBytes -= RoomViews.byteCount(of: screen)
        }
        return taken
    }

    private static func byteCount(of screen: [ScreenElement]) -> Int {
        MemoryLayout<ScreenElement>.stride * screen.capacity
    }

    mutating func removeAll() {
        members = []
        layouts = LayoutTable()
        due = nil
    }
}

/// An element on the screen of a view's client.
struct ScreenElement {
    var key: UInt32
    var part: ScreenPart
    var element: LayoutElement
    /// The revision of its content.
    var contentRevision: Revision
}

/// The part of a thing that an element shows, wherever that is. Most elements are cells, so a cell
/// takes little memory.
enum ScreenPart: Hashable {
    case cell(ThingKey)
    indirect case other(Other)

    /// A supplementary or a decoration.
    struct Other: Hashable {
        enum Category {
            case supplementary, itemSupplementary, decoration
        }

        var category: Category
        var kind: Identifier
        /// The item, or the section.
        var thing: ThingKey
        /// Its number among those with the same kind and thing.
        var copy = 0
    }

    /// The item, or the section.
    var thing: ThingKey {
        switch self {
        case .cell(let thing): thing
        case .other(let part): part.thing
        }
    }
}
