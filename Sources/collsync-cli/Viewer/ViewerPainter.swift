import CollSync
import SyncModel
import SyncPicture
import SyncTerminal

/// Draws the screen of a viewer.
///
/// A cell is a box of thin lines in its section's colour, the selected one of heavy lines, a
/// dragged one of double lines. A decoration is a box of dashed lines. A header is a band between
/// double lines, a footer and other supplementaries of a section one between thin lines.
/// Supplementaries of an item are small dark labels.
struct ViewerPainter {
    let state: ViewerState

    /// The colours of sections, as near to those of pictures as terminals allow.
    private static let sectionColors: [UInt8] = [110, 209, 222, 79, 217, 117, 149]
    private static let black: UInt8 = 16

    func canvas() -> ScreenCanvas {
        var canvas = ScreenCanvas(size: state.window)
        for element in state.drawn { paint(element, on: &canvas) }
        if state.isEmpty { paintEmptiness(on: &canvas) }
        if state.window.rows > 1 { paintStatus(on: &canvas) }
        return canvas
    }

    // MARK: Elements

    private func paint(_ shown: ViewElement, on canvas: inout ScreenCanvas) {
        guard let rect = rect(of: shown.element) else { return }
        switch (shown.element.identity, shown.content) {
        case (.cell(let path), .item(let item)):
            paintCell(item, rect, color: color(of: path.section), on: &canvas)
        case (.supplementary(let kind, let index), .section(let section)):
            let title = state.titles.title(of: kind, in: section) ?? kind.text
            let isHeader = kind == LayoutElement.header
            paintBand(title, rect, color: color(of: index), isHeader: isHeader, on: &canvas)
        case (.decoration(_, let index), _):
            let style = CellStyle(foreground: color(of: index), isFaint: true)
            canvas.drawBox(rect, .dashed, style)
        case (.itemSupplementary(let kind, _), _):
            let style = CellStyle(isReversed: true)
            canvas.fill(rect, style)
            let text = DisplayText(kind.text).cut(to: rect.columns)
            canvas.write(text, column: rect.column, row: rect.row + rect.rows / 2, style)
        case (.cell, _), (.supplementary, _): break
        }
    }

    private func paintCell(
        _ item: Item, _ rect: CellRect, color: UInt8, on canvas: inout ScreenCanvas
    ) {
        let isSelected = item.id == state.selected
        let lines: LineArt =
            item.id == state.carried?.item ? .double : isSelected ? .heavy : .thin
        canvas.drawBox(rect, lines, CellStyle(foreground: color, isBold: isSelected))
        // A box without an inside has its title in its upper line.
        let inside = rect.rows > 2 ? rect.inset : rect.insetSides
        let title = DisplayText(state.titles.title(of: item))
        paint(title, in: inside, CellStyle(isBold: isSelected), on: &canvas)
    }

    private func paintBand(
        _ title: String, _ rect: CellRect, color: UInt8, isHeader: Bool,
        on canvas: inout ScreenCanvas
    ) {
        let line = isHeader ? "═" : "─"
        let style = CellStyle(foreground: color, isBold: isHeader)
        let row = rect.row + (rect.rows - 1) / 2
        canvas.fill(rect)
        for edge in rect.rows > 2 ? [rect.row, rect.endRow - 1] : [row] {
            let edge = CellRect(column: rect.column, row: edge, columns: rect.columns, rows: 1)
            canvas.fill(edge, with: line, style)
        }
        let text = DisplayText(" \(title) ").cut(to: rect.columns - 2)
        let label = isHeader ? CellStyle(foreground: ViewerPainter.black, background: color) : style
        canvas.write(text, column: rect.column + 1, row: row, label)
    }

    /// Writes text in as many lines as fit. In a box that begins above the screen or under a pinned
    /// header, it begins in the first visible row.
    private func paint(
        _ text: DisplayText, in rect: CellRect, _ style: CellStyle, on canvas: inout ScreenCanvas
    ) {
        let covered = (state.pinnedHeight / state.character.height).rounded(.up)
        let top = min(max(rect.row, Int(covered)), rect.endRow - 1)
        let lines = text.lines(columns: rect.columns, atMost: rect.endRow - top)
        for (index, line) in lines.enumerated() {
            canvas.write(line, column: rect.column, row: top + index, style)
        }
    }

    private func color(of section: Int) -> UInt8 {
        let colors = ViewerPainter.sectionColors
        return colors[Int(section.magnitude % UInt(colors.count))]
    }

    /// Shows in the middle that the room is empty, and how to add items.
    private func paintEmptiness(on canvas: inout ScreenCanvas) {
        let texts = ["\(state.room) is empty", "'collsync-cli join' adds items to a room"]
        let first = max(0, (state.viewRows - texts.count) / 2)
        for (row, text) in zip(first..., texts) where row < state.viewRows {
            let line = DisplayText(text).cut(to: state.window.columns)
            let column = (state.window.columns - line.columns) / 2
            canvas.write(line, column: column, row: row, CellStyle())
        }
    }

    // MARK: Places

    /// Nothing is drawn farther away than this, in characters.
    private static let farthest = 100_000.0

    /// The characters of an element, at least one; `nil` if it is invisible.
    private func rect(of element: LayoutElement) -> CellRect? {
        guard !element.isHidden, element.alpha > 0 else { return nil }
        let (center, frame) = (element.frame.center, element.frame)
        let (width, height) = (frame.width * element.scale, frame.height * element.scale)
        guard width > 0, height > 0 else { return nil }
        let character = state.character
        func cell(_ distance: Double, _ side: Double) -> Int? {
            let number = (distance / side).rounded()
            guard !number.isNaN else { return nil }
            return Int(min(max(number, -ViewerPainter.farthest), ViewerPainter.farthest))
        }
        let left = center.x - width / 2 - state.origin.x
        let top = center.y - height / 2 - state.origin.y
        guard let column = cell(left, character.width), let row = cell(top, character.height),
            let endColumn = cell(left + width, character.width),
            let endRow = cell(top + height, character.height)
        else { return nil }
        let rect = CellRect(
            column: column, row: row, columns: max(1, endColumn - column),
            rows: max(1, endRow - row))
        let isSeen =
            rect.endColumn > 0 && rect.column < state.window.columns && rect.endRow > 0
            && rect.row < state.viewRows
        return isSeen ? rect : nil
    }

    // MARK: Status

    /// The keys for the status line. It shows as many as fit; in a window of the usual width, all.
    private static let keys = ["q quit", "tab select", "m move", "l layout", "arrows scroll"]
    private static let usualColumns = 80
    private static let carryingKeys = ["enter drops", "esc cancels", "arrows carry"]

    private func paintStatus(on canvas: inout ScreenCanvas) {
        let (columns, row) = (state.window.columns, state.window.rows - 1)
        let style = CellStyle(isReversed: true)
        canvas.fill(CellRect(column: 0, row: row, columns: columns, rows: 1), style)
        var text = " \(state.room)"
        if state.carried != nil { text += " · moving" }
        if let cell = state.selectedCell { text += " · \(state.titles.title(of: cell.item))" }
        text += " · \(state.spec.kind.rawValue) · \(place) · revision \(state.revision)"
        var status = DisplayText(text)
        if columns >= ViewerPainter.usualColumns {
            status = status.cut(to: columns - allKeys.columns - ViewerPainter.keyMargins)
        }
        var note = style
        if case .interrupted(let reason) = state.connection {
            note.isBold = true
            status = DisplayText(" \(state.room) · connection lost, trying again: \(reason)")
        } else if let notice = state.notice {
            note.isBold = true
            status = DisplayText(" \(notice)")
        }
        canvas.write(status.cut(to: columns), column: 0, row: row, note)
        paintKeys(after: status.columns, on: &canvas, style)
    }

    /// The free columns around the keys.
    private static let keyMargins = 3

    private var keys: [String] {
        state.carried == nil ? ViewerPainter.keys : ViewerPainter.carryingKeys
    }

    private var allKeys: DisplayText { text(ofFirstKeys: keys.count) }

    private func text(ofFirstKeys count: Int) -> DisplayText {
        DisplayText(keys.prefix(count).joined(separator: " · "))
    }

    private func paintKeys(after end: Int, on canvas: inout ScreenCanvas, _ style: CellStyle) {
        let room = state.window.columns - end - ViewerPainter.keyMargins
        let all = (0...keys.count).map(text(ofFirstKeys:))
        guard let keys = all.last(where: { $0.columns <= room }) else { return }
        let column = state.window.columns - keys.columns - 1
        canvas.write(keys, column: column, row: state.window.rows - 1, style)
    }

    /// The part of the content that is on the screen.
    private var place: String {
        let (bounds, content) = (state.bounds, state.contentSize)
        let isSideways = content.height <= bounds.height
        let room = isSideways ? content.width - bounds.width : content.height - bounds.height
        guard room > 0 else { return "all" }
        let share = (isSideways ? state.origin.x : state.origin.y) / room
        guard share > 0 else { return "top" }
        return share < 1 ? "\(Int((share * 100).rounded(.down)))%" : "end"
    }
}

extension CellRect {
    /// The part inside its lines.
    fileprivate var inset: CellRect {
        CellRect(column: column + 1, row: row + 1, columns: columns - 2, rows: rows - 2)
    }

    /// The first row without its ends.
    fileprivate var insetSides: CellRect {
        CellRect(column: column + 1, row: row, columns: columns - 2, rows: 1)
    }
}
