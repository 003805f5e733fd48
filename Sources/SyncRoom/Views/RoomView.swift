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
    func change(to layout: SharedLayout) -> SharedLayout? {
        viewport.keepsAnchor = true
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
    /// An item that the bounds are to go to.
    struct Anchor {
        var item: ThingKey
        /// From the bounds' origin to the item's.
        var distance: ListPoint
        /// The item exists at this revision. If it does not exist at that or a later one, it was
        /// deleted.
        var revision: Revision
    }

    var bounds: ListRect
    /// How far beyond the bounds elements are shown, in points.
    var overscan: Double
    /// Whether the next update moves the bounds to a resting place of the layout.
    var snaps = false
    /// The item to which the next update moves the bounds.
    var anchor: Anchor?
    /// Whether an item on the screen keeps its place there in the next update, which has another
    /// layout.
    var keepsAnchor = false
    /// Where the bounds were when the screen was made.
    var shownBounds: ListRect
    /// The moves of updates that the client has not reported as seen.
    private var moves: [(update: UInt64, shift: ListPoint)] = []

    private static let rememberedMoves = 64

    init(_ bounds: ListRect, overscan: Double) {
        self.bounds = bounds
        self.overscan = overscan
        shownBounds = bounds
    }

    /// Sets bounds that the client sent as of an update that it has seen.
    mutating func move(to bounds: ListRect, seen: UInt64) {
        moves.removeAll { $0.update <= seen }
        self.bounds = bounds
        for move in moves { self.bounds.origin += move.shift }
    }

    /// Moves the bounds with an update.
    mutating func move(by shift: ListPoint, in update: UInt64) {
        moves.append((update, shift))
        // This client does not report what it has seen. Many are removed at once, as each removal
        // copies the rest.
        if moves.count > 2 * Viewport.rememberedMoves {
            moves.removeFirst(Viewport.rememberedMoves)
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
