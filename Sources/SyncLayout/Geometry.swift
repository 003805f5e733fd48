public import SyncModel

/// A point of the content, or a distance in both directions, in points. The content's origin is its
/// top left corner; y grows downwards.
public struct ListPoint: Sendable, Hashable {
    /// How far from the left, in points.
    public var x: Double
    /// How far from the top, in points.
    public var y: Double

    /// Makes a point; by itself, the content's origin.
    public init(x: Double = 0, y: Double = 0) {
        self.x = x
        self.y = y
    }

    package static func += (point: inout ListPoint, way: ListPoint) {
        point.x += way.x
        point.y += way.y
    }
}

/// A rectangle of the content, in points. Its origin is its top left corner.
public struct ListRect: Sendable, Hashable {
    /// The left edge.
    public var x: Double
    /// The top edge.
    public var y: Double
    /// The length from left to right.
    public var width: Double
    /// The length from top to bottom.
    public var height: Double

    /// Makes a rectangle. Lengths are not checked: `openView` refuses those below 0.
    public init(x: Double = 0, y: Double = 0, width: Double = 0, height: Double = 0) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The right edge: ``x`` plus ``width``.
    public var maxX: Double { x + width }
    /// The bottom edge: ``y`` plus ``height``.
    public var maxY: Double { y + height }
    /// The point in the middle.
    public var center: ListPoint { ListPoint(x: x + width / 2, y: y + height / 2) }
    /// The top left corner; setting it moves the rectangle.
    public var origin: ListPoint {
        get { ListPoint(x: x, y: y) }
        set { (x, y) = (newValue.x, newValue.y) }
    }
    /// Both lengths; setting them keeps the origin.
    public var size: ListSize {
        get { ListSize(width: width, height: height) }
        set { (width, height) = (newValue.width, newValue.height) }
    }

    /// Whether the two overlap. Two that only touch do not; one without any area does if it lies
    /// inside the other, not on its edge.
    public func intersects(_ other: ListRect) -> Bool {
        x < other.maxX && other.x < maxX && y < other.maxY && other.y < maxY
    }

    /// Whether a point is in it. Points on the left and the top edge are, on the right and the
    /// bottom edge are not.
    public func contains(_ point: ListPoint) -> Bool {
        x <= point.x && point.x < maxX && y <= point.y && point.y < maxY
    }

    package func inset(by insets: Insets) -> ListRect {
        ListRect(
            x: x + insets.left, y: y + insets.top, width: width - insets.left - insets.right,
            height: height - insets.top - insets.bottom)
    }
}

/// How much is left free at each side, in points. A negative number extends that side outwards.
public struct Insets: Sendable, Hashable {
    /// At the top edge.
    public var top: Double
    /// At the left edge.
    public var left: Double
    /// At the bottom edge.
    public var bottom: Double
    /// At the right edge.
    public var right: Double

    /// Makes insets; what is not given is 0.
    public init(top: Double = 0, left: Double = 0, bottom: Double = 0, right: Double = 0) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }
}

extension Double {
    /// A length that can be laid out: NaN, infinite and negative numbers count as 0.
    package var length: Double { self > 0 && self < .infinity ? self : 0 }

    /// A distance in either direction: NaN and infinite numbers count as 0.
    package var distance: Double { isFinite ? self : 0 }
}

extension ListSize {
    /// The same with lengths that can be laid out.
    package var lengths: ListSize { ListSize(width: width.length, height: height.length) }
}

extension Insets {
    /// The same with distances that can be laid out.
    package var distances: Insets {
        Insets(
            top: top.distance, left: left.distance, bottom: bottom.distance, right: right.distance)
    }
}
