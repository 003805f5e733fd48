/// The content of one place of a screen.
///
/// A character of two columns is in the cell of the first one; the cell of the second continues it.
struct ScreenCell: Hashable {
    /// A cluster of ``DisplayText``; empty if the cell continues the one before.
    var text = " "
    var style = CellStyle()

    static let blank = ScreenCell()

    var isContinuation: Bool { text.isEmpty }
}

/// The style of a cell's character. Colours are numbers of the usual palette of 256; `nil` is the
/// terminal's default.
struct CellStyle: Hashable {
    var foreground: UInt8?
    var background: UInt8?
    var isBold = false
    var isFaint = false
    var isReversed = false

    /// The control sequence for this style, whatever the style before.
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
