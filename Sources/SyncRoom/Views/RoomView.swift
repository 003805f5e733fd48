import SyncBytes
import SyncEngine
import SyncLayout
import SyncModel
import SyncWire

/// A view of a room: a viewport on one of its layouts, and what its client was sent of it.
///
/// Invariants:
/// 1. `screen` is what the client holds once it has taken in the updates it was sent, in content
///    order; no two of its elements have the same key, or show the same part of the same thing.
/// 2. The bounds are where the client has them, once it has taken in those updates.
///
/// It takes some 150 bytes for each element on the screen.
final class RoomView {
    let number: ViewNumber
    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each update.
    @exclusivity(unchecked) private(set) var layout: SharedLayout
    /// What the screen was made in, if `layout` is another one since.
    @exclusivity(unchecked) private(set) var formerLayout: SharedLayout?
    /// What the client wants since the last update: bounds, overscan, a layout.
    @exclusivity(unchecked) var isChanged = true
    /// Until then it is not told what is different in the room.
    @exclusivity(unchecked) var due: UInt64 = 0
    /// Until then its layout is not brought up to date, as too much was laid out before.
    @exclusivity(unchecked) var deferredUntil: UInt64 = 0
    @exclusivity(unchecked) var viewport: Viewport
    /// The last request of its client that was read.
    @exclusivity(unchecked) var serial: UInt64 = 0
    /// Whether its client waits for an update though nothing may be different.
    @exclusivity(unchecked) var isAwaited = true

    @exclusivity(unchecked) var screen: [ScreenElement] = []
    /// The revision that the screen is of; `nil` before the first update.
    @exclusivity(unchecked) var revision: Revision?
    @exclusivity(unchecked) var contentSize: ListSize?
    /// Where its member holds an item, in the content's coordinates.
    @exclusivity(unchecked) var held: ListPoint?
    /// The shared drags that the screen is of: ``DragTable/version``.
    @exclusivity(unchecked) var dragVersion: UInt64 = 0
    /// Whether there is more to show than what the client has.
    @exclusivity(unchecked) var isPartial = false
    @exclusivity(unchecked) private(set) var updateNumber: UInt64 = 0
    @exclusivity(unchecked) private var lastKey: UInt32 = 0

    init(_ number: ViewNumber, layout: SharedLayout, bounds: ListRect, overscan: Double) {
        self.number = number
        self.layout = layout
        viewport = Viewport(bounds, overscan: overscan)
    }

    /// Shows another layout from now on. Returns one that is not needed any more.
    func change(to layout: SharedLayout) -> SharedLayout? {
        viewport.keepsAnchor = true
        let old = self.layout
        self.layout = layout
        // What the screen was made in is the first of several; nothing is shown of those between.
        if formerLayout != nil || revision == nil { return old }
        formerLayout = old
        return nil
    }

    func takeFormerLayout() -> SharedLayout? {
        defer { formerLayout = nil }
        return formerLayout
    }

    /// Moves the bounds with the next update; what is held stays where it is on the screen.
    func move(by shift: ListPoint) {
        viewport.move(by: shift, in: updateNumber + 1)
        held? += shift
    }

    /// How many bytes it takes, the layout apart.
    var byteCount: Int {
        RoomView.bytesOfNone + MemoryLayout<ScreenElement>.stride * screen.capacity
    }

    /// Without anything on the screen, about; the moves that it remembers included.
    private static let bytesOfNone = 2048

    func nextUpdateNumber() -> UInt64 {
        updateNumber += 1
        return updateNumber
    }

    func makeKey() -> UInt32 {
        lastKey &+= 1
        return lastKey
    }

    /// Begins anew: the client is to forget what it holds.
    func restart() {
        screen = []
        revision = nil
        contentSize = nil
        isPartial = false
        isChanged = true
        // Its key is of the engine of before.
        viewport.anchor = nil
    }
}

/// The part of a layout that a view shows, and where it is to go next.
///
/// A client tells its bounds in the content of the last update that it has seen, and updates move
/// them. So the moves that it has not seen yet are added to what it tells.
struct Viewport {
    /// An item that the bounds are to go to.
    struct Anchor {
        var item: ThingKey
        /// From the bounds' origin to the item's.
        var distance: ListPoint
        /// It is there by this revision, or not at all.
        var revision: Revision
    }

    var bounds: ListRect
    /// How far around the bounds elements are shown, in points.
    var overscan: Double
    /// Whether the bounds are still to come to where the layout wants items to rest.
    var snaps = false
    /// What the bounds are still to go to.
    var anchor: Anchor?
    /// Whether the anchor on the screen is to keep still though the layout is another one.
    var keepsAnchor = false
    /// Where the bounds were when the screen was made.
    var shownBounds: ListRect
    /// By how much updates moved the bounds that the client has not told to have seen.
    private var moves: [(update: UInt64, shift: ListPoint)] = []

    private static let rememberedMoves = 64

    init(_ bounds: ListRect, overscan: Double) {
        self.bounds = bounds
        self.overscan = overscan
        shownBounds = bounds
    }

    /// Takes bounds that the client means in the content of an update that it has seen.
    mutating func move(to bounds: ListRect, seen: UInt64) {
        moves.removeAll { $0.update <= seen }
        self.bounds = bounds
        for move in moves { self.bounds.origin += move.shift }
    }

    /// Moves the bounds with an update.
    mutating func move(by shift: ListPoint, in update: UInt64) {
        moves.append((update, shift))
        // A client that never tells what it has seen. Many at once: each time all others are
        // copied.
        if moves.count > 2 * Viewport.rememberedMoves {
            moves.removeFirst(Viewport.rememberedMoves)
        }
        bounds.origin += shift
    }

    /// A point that the client means in the content of an update that it has seen, in that of the
    /// last one.
    func place(of point: ListPoint, seen: UInt64) -> ListPoint {
        moves.reduce(into: point) { point, move in
            guard move.update > seen else { return }
            point += move.shift
        }
    }
}

/// What a member sees of the room through views, and what that takes.
struct Viewing {
    /// In the order in which it opened them.
    var views: [RoomView] = []
    /// A drag of it that is over though it has not ended it, and why; it is still to be told.
    var lostDrag: (number: DragNumber, refusal: RoomRefusal)?
    /// What it was sent and has not taken in.
    private var unreadBytes = 0
    private let charge: Charge

    init(of holder: Holder, on tally: Tally?) {
        charge = Charge(in: holder.views, as: .views, on: tally)
    }

    /// What its views take, with what it was sent of them and has not taken in.
    var byteCount: Int { charge.count }

    /// Counts its views anew, and updates that it is sent.
    mutating func count(unread frames: [EncodedFrame] = []) {
        unreadBytes += frames.reduce(0) { $0 + $1.plain.count }
        charge.change(to: views.reduce(unreadBytes) { $0 + $1.byteCount })
    }

    /// The member has taken in what it was sent.
    mutating func didRead() {
        guard unreadBytes > 0 else { return }
        unreadBytes = 0
        count()
    }
}

/// What a room has for views: the members that have some, the layouts that they show, and when they
/// are told more.
struct RoomViews {
    var members: [Member] = []
    var layouts = LayoutTable()
    var timetable = ViewTimetable()
    var pace = ViewPace()
    /// When one lacks something that it is then to be told; `nil` while none does.
    var due: UInt64?
    /// Screens that nobody has any more.
    private var goneScreens = Fifo<[ScreenElement]>()
    /// What those take.
    private(set) var goneBytes = 0
    var hasGone: Bool { !goneScreens.isEmpty }

    /// Takes a view's screen, to be freed step by step: very many may go at once.
    mutating func takeScreen(of view: RoomView) {
        if view.screen.isEmpty { return }
        goneBytes += RoomViews.byteCount(of: view.screen)
        goneScreens.append(view.screen)
        view.screen = []
    }

    /// Frees screens that are gone, one at least, as far as so many steps go.
    ///
    /// - Returns: how many steps that took.
    mutating func freeGone(atMost steps: Int) -> Int {
        var taken = 0
        while taken == 0 || taken < steps, let screen = goneScreens.popFirst() {
            taken += 1 + WorkCost.goneElement.steps(screen.count)
            goneBytes -= RoomViews.byteCount(of: screen)
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

/// An element that the client of a view holds.
struct ScreenElement {
    var key: UInt32
    var part: ScreenPart
    var element: LayoutElement
    /// The revision that its content is of.
    var contentRevision: Revision
}

/// What an element on a screen shows, wherever it stands. Most are cells, so these take little.
enum ScreenPart: Hashable {
    case cell(ThingKey)
    indirect case other(Other)

    /// A supplementary or a decoration.
    struct Other: Hashable {
        enum Category {
            case supplementary, itemSupplementary, decoration
        }

        var category: Category
        var kind: String
        /// The item, or the section.
        var thing: ThingKey
        /// Which one it is, where a kind stands several times.
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
