import SyncEngine
import SyncLayout

/// The part of a layout that a view shows, and where it is to go next.
///
/// A client tells its bounds in the content of the last update that it has seen, and updates move them. So the
/// moves that it has not seen yet are added to what it tells.
struct Viewport {
    /// An item that the bounds are to go to.
    struct Anchor {
        var item: ThingKey
        /// From the bounds' origin to the item's.
        var distance: Point
        /// It is there by this revision, or not at all.
        var revision: Revision
    }

    var bounds: Rect
    /// How far around the bounds elements are shown, in points.
    var overscan: Double
    /// Whether the bounds are still to come to where the layout wants items to rest.
    var snaps = false
    /// What the bounds are still to go to.
    var anchor: Anchor?
    /// Whether the first item on the screen is to keep still though the layout is another one.
    var keepsAnchor = false
    /// Where the bounds were when the screen was made.
    var shownBounds: Rect
    /// By how much updates moved the bounds that the client has not told to have seen.
    private var moves: [(update: UInt64, shift: Point)] = []

    private static let rememberedMoves = 64

    init(_ bounds: Rect, overscan: Double) {
        self.bounds = bounds
        self.overscan = overscan
        shownBounds = bounds
    }

    /// Takes bounds that the client means in the content of an update that it has seen.
    mutating func move(to bounds: Rect, seen: UInt64) {
        moves.removeAll { $0.update <= seen }
        self.bounds = bounds
        for move in moves { self.bounds.origin += move.shift }
    }

    /// Moves the bounds with an update.
    mutating func move(by shift: Point, in update: UInt64) {
        moves.append((update, shift))
        // A client that never tells what it has seen. Many at once: each time all others are copied.
        if moves.count > 2 * Viewport.rememberedMoves {
            moves.removeFirst(Viewport.rememberedMoves)
        }
        bounds.origin += shift
    }

    /// A point that the client means in the content of an update that it has seen, in that of the last one.
    func place(of point: Point, seen: UInt64) -> Point {
        moves.reduce(into: point) { point, move in
            guard move.update > seen else { return }
            point += move.shift
        }
    }
}
