import SyncLayout
import SyncModel

/// A canvas that is an SVG document, with one element in each line.
struct SVGCanvas: Canvas {
    private var text: String

    init(size: ListSize) {
        let (width, height) = (SVGCanvas.number(size.width), SVGCanvas.number(size.height))
        let families = TextStyle.families.map { $0.contains(" ") ? "'\($0)'" : $0 }
        text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" font-family="\(families.joined(separator: ", "))">

            """
    }

    /// The whole document.
    var document: String { text + "</svg>\n" }

    mutating func fill(_ color: Color) {
        text += "<rect width=\"100%\" height=\"100%\""
        write("fill", color)
        text += "/>\n"
    }

    mutating func draw(_ box: Box) {
        var frame = box.frame
        var radius = box.cornerRadius
        if box.edge != nil {
            // A line is drawn along the middle of its width.
            let half = Box.edgeWidth / 2
            frame = frame.inset(by: Insets(top: half, left: half, bottom: half, right: half))
            radius = max(0, radius - half)
        }
        text += "<rect"
        write(frame)
        if radius > 0 { write("rx", radius) }
        write("fill", box.fill)
        if let edge = box.edge { write("stroke", edge) }
        text += "/>\n"
    }

    /// Writes a line of text as a document inside the document, which clips it to its frame.
    mutating func draw(_ line: TextLine) {
        text += "<svg"
        write(line.box)
        text += "><text"
        write("x", line.x - line.box.x)
        write("y", line.baseline - line.box.y)
        write("font-size", line.style.size)
        if line.style.isBold { text += " font-weight=\"bold\"" }
        if line.alignment == .center { text += " text-anchor=\"middle\"" }
        write("fill", line.color)
        text += ">"
        write(escaping: line.text)
        text += "</text></svg>\n"
    }

    // MARK: Attributes

    private mutating func write(_ frame: ListRect) {
        write("x", frame.x)
        write("y", frame.y)
        write("width", frame.width)
        write("height", frame.height)
    }

    private mutating func write(_ name: StaticString, _ number: Double) {
        text += " \(name)=\"\(SVGCanvas.number(number))\""
    }

    private mutating func write(_ name: StaticString, _ color: Color) {
        let number = UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue)
        let digits = String(number, radix: 16)
        text += " \(name)=\"#\(String(repeating: "0", count: 6 - digits.count))\(digits)\""
        if color.opacity < 1 { text += " \(name)-opacity=\"\(SVGCanvas.number(color.opacity))\"" }
    }

    /// A number with at most two decimals.
    static func number(_ value: Double) -> String {
        guard let hundredths = Int(exactly: (value * 100).rounded()) else { return "0" }
        let (whole, fraction) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        let sign = hundredths < 0 ? "-" : ""
        if fraction == 0 { return "\(sign)\(whole)" }
        if fraction % 10 == 0 { return "\(sign)\(whole).\(fraction / 10)" }
        return "\(sign)\(whole).\(fraction < 10 ? "0" : "")\(fraction)"
    }

    private mutating func write(escaping line: String) {
        for scalar in line.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
