import SyncLayout
import SyncModel

// Points, sizes, rectangles and insets. NaN and infinite numbers are written as 0, as layouts count
// them.

extension JSONWriter {
    mutating func member(_ name: StaticString, _ number: Double) {
        key(name)
        write(number: number.distance)
    }

    mutating func write(_ point: ListPoint) {
        beginObject()
        member("x", point.x)
        member("y", point.y)
        endObject()
    }

    mutating func write(_ size: ListSize) {
        beginObject()
        member("width", size.width)
        member("height", size.height)
        endObject()
    }

    mutating func write(_ rect: ListRect) {
        beginObject()
        member("x", rect.x)
        member("y", rect.y)
        member("width", rect.width)
        member("height", rect.height)
        endObject()
    }

    /// Writes the sides that are not 0.
    mutating func write(_ insets: Insets) {
        let insets = insets.distances
        beginObject()
        if insets.top != 0 { member("top", insets.top) }
        if insets.left != 0 { member("left", insets.left) }
        if insets.bottom != 0 { member("bottom", insets.bottom) }
        if insets.right != 0 { member("right", insets.right) }
        endObject()
    }
}
