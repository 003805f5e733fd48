import SyncLayout

/// Draws boxes and text. All coordinates are the picture's, in points; anything outside the picture
/// is invisible.
///
/// ``SVGCanvas`` and ``CairoCanvas`` draw pictures that look the same.
protocol Canvas {
    /// Fills the whole picture.
    mutating func fill(_ color: Color)
    mutating func draw(_ box: Box)
    mutating func draw(_ line: TextLine)
}

/// A rectangle with round corners.
struct Box {
    var frame: ListRect
    var cornerRadius = 0.0
    var fill: Color
    /// The colour of a line along its inner edge, if it has one.
    var edge: Color?

    static let edgeWidth = 1.0
}

/// One line of text, vertically centred in its box. What does not fit into the box is invisible.
struct TextLine {
    enum Alignment {
        case leading, center
    }

    var text: String
    var box: ListRect
    var style: TextStyle
    var alignment: Alignment
    var color: Color

    /// The start of the line, or its middle if it is centred.
    var x: Double { alignment == .center ? box.center.x : box.x }

    /// The line on which the letters stand, in points from the top.
    var baseline: Double { box.center.y + style.size * TextStyle.halfCapitalHeight }
}
