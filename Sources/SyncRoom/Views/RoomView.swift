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
    @exclusivity(unchecked) var viewport: Viewport
    /// Whether its client waits for an update though nothing may be different.
    @exclusivity(unchecked) var isAwaited = false

    @exclusivity(unchecked) var screen: [ScreenElement] = []
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

    init(_ number: ViewNumber, layout: SharedLayout, bounds: Rect, overscan: Double) {
        self.number = number
        self.layout = layout
        viewport = Viewport(bounds, overscan: overscan)
    }

    /// Shows another layout from now on.
    ///
    /// - Returns: one that is not needed any more.
    func change(to layout: SharedLayout) -> SharedLayout? {
        viewport.keepsAnchor = true
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

    /// Moves the bounds with the next update; what is held stays where it is on the screen.
    func move(by shift: Point) {
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
