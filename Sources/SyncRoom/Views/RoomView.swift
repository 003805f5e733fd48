import SyncEngine
import SyncLayout
import SyncWire

/// A view of a room: a viewport on one of its layouts, and what its client was sent of it.
///
/// Invariants:
/// 1. `screen` is what the client holds once it has taken in the updates it was sent, in content order; no
///    two of its elements have the same key, or show the same part of the same thing.
/// 2. The bounds are where the client has them, once it has taken in those updates.
///
/// It takes some 150 bytes for each element on the screen.
final class RoomView {
    /// What an element is, wherever it stands. Most are cells, so these take little.
    enum Part: Hashable {
        case cell(ThingKey)
        indirect case other(OtherPart)

        /// The item, or the section.
        var thing: ThingKey {
            switch self {
            case .cell(let thing): thing
            case .other(let part): part.thing
            }
        }
    }

    /// A supplementary or a decoration.
    struct OtherPart: Hashable {
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

    /// An element that the client holds.
    struct Shown {
        var key: UInt32
        var part: Part
        var element: LayoutElement
        /// The revision that its content is of.
        var contentRevision: Revision
    }

    /// An item that the bounds are to go to.
    struct Anchor {
        var item: ThingKey
        /// From the bounds' origin to the item's.
        var distance: Point
        /// It is there by this revision, or not at all.
        var revision: Revision
    }

    let number: ViewNumber
    // What each update looks at is not checked for exclusive access, as it costs: no access spans another.
    @exclusivity(unchecked) private(set) var layout: SharedLayout
    /// What the screen was made in, if `layout` is another one since.
    @exclusivity(unchecked) private(set) var formerLayout: SharedLayout?
    /// What the client wants since the last update: bounds, overscan, a layout.
    @exclusivity(unchecked) var isChanged = true
    /// Until then it is not told what is different in the room.
    @exclusivity(unchecked) var due: UInt64 = 0
    /// Until then its layout is not brought up to date, as too much was laid out before.
    @exclusivity(unchecked) var deferredUntil: UInt64 = 0
    @exclusivity(unchecked) var bounds: Rect
    @exclusivity(unchecked) var overscan: Double
    /// Whether the bounds are still to come to where the layout wants items to rest.
    @exclusivity(unchecked) var snaps = false
    /// What the bounds are still to go to.
    @exclusivity(unchecked) var anchor: Anchor?
    /// Whether its client waits for an update though nothing may be different.
    @exclusivity(unchecked) var isAwaited = false
    /// Whether the first item on the screen is to keep still though the layout is another one.
    @exclusivity(unchecked) var keepsAnchor = false
    /// Where the bounds were when the screen was made.
    @exclusivity(unchecked) var shownBounds: Rect

    @exclusivity(unchecked) var screen: [Shown] = []
    /// The revision that the screen is of; `nil` before the first update.
    @exclusivity(unchecked) var revision: Revision?
    @exclusivity(unchecked) var contentSize: Size?
    /// Where its member holds an item, in the content's coordinates.
    @exclusivity(unchecked) var held: Point?
    /// The shared drags that the screen is of: ``DragTable/version``.
    @exclusivity(unchecked) var dragVersion: UInt64 = 0
    /// Whether there is more to show than what the client has.
    @exclusivity(unchecked) var isPartial = false
    /// The last update's.
    @exclusivity(unchecked) private(set) var updateNumber: UInt64 = 0
    @exclusivity(unchecked) private var lastKey: UInt32 = 0
    /// By how much updates moved the bounds that the client has not told to have seen.
    @exclusivity(unchecked) private var moves: [(number: UInt64, shift: Point)] = []

    init(_ number: ViewNumber, layout: SharedLayout, bounds: Rect, overscan: Double) {
        self.number = number
        self.layout = layout
        self.bounds = bounds
        self.overscan = overscan
        shownBounds = bounds
    }

    /// Takes bounds that the client means in the content of an update that it has seen.
    func move(to bounds: Rect, seen: UInt64) {
        moves.removeAll { $0.number <= seen }
        self.bounds = bounds
        for move in moves { self.bounds.origin += move.shift }
    }

    /// Shows another layout from now on.
    ///
    /// - Returns: one that is not needed any more.
    func change(to layout: SharedLayout) -> SharedLayout? {
        keepsAnchor = true
        let old = self.layout
        self.layout = layout
        // What the screen was made in is the first of several; nothing is shown of those between.
        if formerLayout != nil || revision == nil { return old }
        formerLayout = old
        return nil
    }

    /// Forgets what the screen was made in.
    func takeFormerLayout() -> SharedLayout? {
        defer { formerLayout = nil }
        return formerLayout
    }

    /// A point that the client means in the content of an update that it has seen, in that of the last one.
    func place(of point: Point, seen: UInt64) -> Point {
        moves.reduce(into: point) { point, move in
            guard move.number > seen else { return }
            point += move.shift
        }
    }

    /// Moves the bounds with the next update; what is held stays where it is on the screen.
    func move(by shift: Point) {
        moves.append((updateNumber + 1, shift))
        // A client that never tells what it has seen. Many at once: each time all others are copied.
        if moves.count > 2 * RoomView.rememberedMoves {
            moves.removeFirst(RoomView.rememberedMoves)
        }
        bounds.origin += shift
        held? += shift
    }

    private static let rememberedMoves = 64

    /// How many bytes it takes, the layout apart.
    var byteCount: Int {
        RoomView.bytesOfNone + MemoryLayout<Shown>.stride * screen.capacity
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
        anchor = nil
    }
}
