import SyncLayout

/// What a picture is drawn on. All coordinates are the picture's, in points; what lies outside of
/// the picture is not shown.
///
/// There are two, ``SVGCanvas`` and ``CairoCanvas``, and what is drawn on them looks the same.
protocol Canvas {
    /// Covers all of the picture.
    mutating func fill(_ color: Color)
    mutating func draw(_ box: Box)
    mutating func draw(_ line: TextLine)
}

/// A rectangle with round corners.
struct Box {
    var frame: ListRect
    var cornerRadius = 0.0
    var fill: Color
    /// Of a line along its inner edge.
    var edge: Color?

    static let edgeWidth = 1.0
}

/// One line of text, in the middle of the height of its box. What does not fit into the box is not
/// shown.
struct TextLine {
    enum Alignment {
        case leading, center
    }

    var text: String
    var box: ListRect
    var style: TextStyle
    var alignment: Alignment
    var color: Color

    /// Where the line starts, or has its middle.
    var x: Double { alignment == .center ? box.center.x : box.x }

    /// The line on which the letters stand.
    var baseline: Double { box.center.y + style.size * TextStyle.halfCapitalHeight }
}
