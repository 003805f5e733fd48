/// What one place of a screen shows.
///
/// A character of two columns stands in the cell of the first; that of the second continues it.
struct ScreenCell: Hashable {
    /// A cluster of ``DisplayText``; empty where the cell continues the one before.
    var text = " "
    var style = CellStyle()

    static let blank = ScreenCell()

    var isContinuation: Bool { text.isEmpty }
}

/// How a cell's character looks. Colours are numbers of the usual palette of 256, and `nil` the
/// terminal's own.
struct CellStyle: Hashable {
    var foreground: UInt8?
    var background: UInt8?
    var isBold = false
    var isFaint = false
    var isReversed = false

    /// The control sequence that sets it, whatever was set before.
    var sequence: String {
        var codes = "0"
        if isBold { codes += ";1" }
        if isFaint { codes += ";2" }
        if isReversed { codes += ";7" }
        if let foreground { codes += ";38;5;\(foreground)" }
        if let background { codes += ";48;5;\(background)" }
        return "\u{1B}[\(codes)m"
    }
}
