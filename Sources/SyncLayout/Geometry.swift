package import SyncEngine

/// A point of the content, or an offset.
package struct Point: Sendable, Hashable {
    package var x: Double
    package var y: Double

    package init(x: Double = 0, y: Double = 0) {
        self.x = x
        self.y = y
    }
}

/// A rectangle, its origin top left.
package struct Rect: Sendable, Hashable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package init(x: Double = 0, y: Double = 0, width: Double = 0, height: Double = 0) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    package var maxX: Double { x + width }
    package var maxY: Double { y + height }
    package var center: Point { Point(x: x + width / 2, y: y + height / 2) }
    package var size: Size { Size(width: width, height: height) }

    /// Whether the two share more than an edge. One without any area does if it lies inside.
    package func intersects(_ other: Rect) -> Bool {
        x < other.maxX && other.x < maxX && y < other.maxY && other.y < maxY
    }

    /// Whether a point is in it: its left and top edge are, the others are not.
    package func contains(_ point: Point) -> Bool {
        x <= point.x && point.x < maxX && y <= point.y && point.y < maxY
    }

    package func inset(by insets: Insets) -> Rect {
        Rect(
            x: x + insets.left, y: y + insets.top, width: width - insets.left - insets.right,
            height: height - insets.top - insets.bottom)
    }
}

/// What is left free at each side; negative where it sticks out.
package struct Insets: Sendable, Hashable {
    package var top: Double
    package var left: Double
    package var bottom: Double
    package var right: Double

    package init(top: Double = 0, left: Double = 0, bottom: Double = 0, right: Double = 0) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }
}

extension Double {
    /// A length that can be laid out: what is not a number, not finite or negative counts as 0.
    package var length: Double { self > 0 && self < .infinity ? self : 0 }

    /// A distance in either direction: what is not finite counts as 0.
    package var distance: Double { isFinite ? self : 0 }
}

extension Size {
    /// The same with lengths that can be laid out.
    package var lengths: Size { Size(width: width.length, height: height.length) }
}

extension Insets {
    /// The same with distances that can be laid out.
    package var distances: Insets {
        Insets(
            top: top.distance, left: left.distance, bottom: bottom.distance, right: right.distance)
    }
}
