@testable import collsync_cli

/// A model of a terminal that knows the sequences of ``ScreenWriter`` and no others.
struct TerminalModel {
    struct Cell: Equatable {
        var text = " "
        var style = ""
    }

    let size: ScreenSize
    private(set) var cells: [Cell]
    private(set) var unknown: [String] = []
    /// How many characters were written.
    private(set) var written = 0
    private var column = 0
    private var row = 0
    private var style = "0"

    init(size: ScreenSize) {
        self.size = size
        cells = Array(repeating: Cell(text: "?"), count: size.columns * size.rows)
    }

    /// The cells that show a canvas.
    static func cells(of canvas: ScreenCanvas) -> [Cell] {
        var cells: [Cell] = []
        for row in 0..<canvas.size.rows {
            for column in 0..<canvas.size.columns {
                let cell = canvas[column, row]
                cells.append(Cell(text: cell.text, style: codes(cell.style.sequence)))
            }
        }
        return cells
    }

    private static func codes(_ sequence: String) -> String {
        String(sequence.dropFirst(2).dropLast())
    }

    mutating func take(_ bytes: [UInt8]) {
        var rest = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\u{1B}" {
                obey(TerminalModel.sequence(&rest))
            } else {
                write(scalar)
            }
        }
    }

    private static func sequence(_ rest: inout Substring.UnicodeScalarView) -> String {
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            text.append(scalar)
            if scalar != "[", (0x40...0x7E).contains(scalar.value) { break }
        }
        return String(text)
    }

    private mutating func obey(_ sequence: String) {
        let body = sequence.dropFirst().dropLast()
        switch sequence.last {
        case "H":
            let place = body.split(separator: ";").compactMap { Int($0) }
            guard place.count == 2, (1...size.rows).contains(place[0]),
                (1...size.columns).contains(place[1])
            else { return unknown.append(sequence) }
            (row, column) = (place[0] - 1, place[1] - 1)
        case "m": style = String(body)
        case "J" where body == "2":
            cells = Array(repeating: Cell(style: style), count: cells.count)
        case "h" where body == "?2026", "l" where body == "?2026": break
        default: unknown.append(sequence)
        }
    }

    private mutating func write(_ scalar: Unicode.Scalar) {
        guard scalar.value >= 0x20, scalar.value != 0x7F else {
            return unknown.append("\\u{\(String(scalar.value, radix: 16))}")
        }
        let columns = TerminalModel.columns(of: scalar)
        let index = row * size.columns + column
        guard columns > 0 else {
            let last = cells[index - 1].text.isEmpty ? index - 2 : index - 1
            return cells[last].text.unicodeScalars.append(scalar)
        }
        guard column + columns <= size.columns else {
            return unknown.append("\(scalar) beyond the end of a line")
        }
        written += 1
        for place in index..<(index + columns) { cover(place) }
        for place in index..<(index + columns) { cells[place] = Cell(text: "", style: style) }
        cells[index].text = String(scalar)
        column += columns
    }

    /// Removes a wide character that is half covered.
    private mutating func cover(_ index: Int) {
        if cells[index].text.isEmpty, index > 0 { cells[index - 1].text = " " }
        if index + 1 < cells.count, (index + 1) % size.columns != 0, cells[index + 1].text.isEmpty {
            cells[index + 1].text = " "
        }
    }

    /// The width of a character that the tests write.
    private static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x300...0x36F: 0
        case 0x3040...0x9FFF, 0xAC00...0xD7A3, 0x1F300...0x1FAFF: 2
        default: 1
        }
    }
}
