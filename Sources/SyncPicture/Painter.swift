import SyncLayout
import SyncModel

/// Draws the elements of a picture.
///
/// A cell is a box in its section's colour, a header or a footer a paler band, a decoration a pale
/// ground. A custom supplementary of an item is a small dark badge, one of a section a grey band.
/// An element above its neighbours, such as a pinned header, has a shadow.
struct Painter {
    let picture: Picture

    private static let badge = Color(0x2F3B45)
    private static let greyBand = Color(0xE3E7EA)

    func paint(on canvas: inout some Canvas) {
        canvas.fill(.white)
        for figure in picture.figures { paint(figure, on: &canvas) }
    }

    private func paint(_ figure: Picture.Figure, on canvas: inout some Canvas) {
        switch figure.identity {
        case .cell(let path):
            paintCell(
                figure, SectionColors(section: path.section, item: path.item), on: &canvas)
        case .supplementary(let kind, let section):
            let colors = SectionColors(section: section)
            switch kind {
            case LayoutElement.header:
                paintBand(figure, colors.band, text: colors.text, isBold: true, on: &canvas)
            case LayoutElement.footer:
                paintBand(figure, colors.footerBand, text: colors.text, isBold: false, on: &canvas)
            default:
                let (fill, text) = (Painter.greyBand, Painter.badge)
                paintBand(figure, fill, text: text, isBold: false, on: &canvas)
            }
        case .itemSupplementary:
            paintBadge(figure, on: &canvas)
        case .decoration(_, let section):
            let fill = SectionColors(section: section).decoration.faded(by: figure.alpha)
            canvas.draw(
                Box(frame: figure.frame, cornerRadius: figure.cornerRadius(12), fill: fill))
        }
    }

    // MARK: Kinds of elements

    private func paintCell(
        _ figure: Picture.Figure, _ colors: SectionColors, on canvas: inout some Canvas
    ) {
        let box = Box(
            frame: figure.frame, cornerRadius: figure.cornerRadius(7),
            fill: colors.cell.faded(by: figure.alpha),
            edge: figure.isLargerThan(4 * Box.edgeWidth)
                ? colors.cellEdge.faded(by: figure.alpha) : nil)
        paintShadow(of: figure, radius: box.cornerRadius, on: &canvas)
        canvas.draw(box)
        let (width, height) = (figure.frame.width, figure.frame.height)
        let style = TextStyle(size: min(12, width * 0.17, height * 0.4))
        let color = colors.text.faded(by: figure.alpha)
        paintText(of: figure, style, color, .center, lines: 3, on: &canvas)
    }

    private func paintBand(
        _ figure: Picture.Figure, _ fill: Color, text: Color, isBold: Bool,
        on canvas: inout some Canvas
    ) {
        paintShadow(of: figure, radius: 0, on: &canvas)
        canvas.draw(Box(frame: figure.frame, fill: fill.faded(by: figure.alpha)))
        let largest = isBold ? 13.0 : 11.0
        let style = TextStyle(size: min(largest, figure.frame.height * 0.5), isBold: isBold)
        paintText(
            of: figure, style, text.faded(by: figure.alpha), .leading, lines: 1, on: &canvas)
    }

    private func paintBadge(_ figure: Picture.Figure, on canvas: inout some Canvas) {
        let radius = figure.cornerRadius(.infinity)
        paintShadow(of: figure, radius: radius, on: &canvas)
        let fill = Painter.badge.faded(by: figure.alpha)
        canvas.draw(Box(frame: figure.frame, cornerRadius: radius, fill: fill))
        let style = TextStyle(size: min(10, figure.frame.height * 0.6), isBold: true)
        let color = Color.white.faded(by: figure.alpha)
        paintText(of: figure, style, color, .center, lines: 1, on: &canvas)
    }

    // MARK: Parts

    /// Draws boxes around a raised element, each smaller than the one before, so that they fade
    /// outwards. They are a little below the element, as under a light from above.
    private func paintShadow(
        of figure: Picture.Figure, radius: Double, on canvas: inout some Canvas
    ) {
        let fill = Color.black.faded(by: 0.06 * figure.alpha)
        for distance in figure.shadowDistances {
            let frame = figure.shadowFrame(reaching: distance)
            canvas.draw(Box(frame: frame, cornerRadius: radius + distance, fill: fill))
        }
    }

    /// The smallest text that is legible, in points.
    private static let leastTextSize = 5.0

    /// Writes an element's text into its frame, in at most `maximum` lines.
    private func paintText(
        of figure: Picture.Figure, _ style: TextStyle, _ color: Color,
        _ alignment: TextLine.Alignment, lines maximum: Int, on canvas: inout some Canvas
    ) {
        guard style.size >= Painter.leastTextSize else { return }
        let margin = min(10, figure.frame.width * 0.06)
        let width = figure.frame.width - 2 * margin
        let room = Int(figure.frame.height / style.lineHeight)
        let lines = style.lines(of: figure.text, width: width, atMost: min(maximum, room))
        let top = figure.frame.center.y - Double(lines.count) * style.lineHeight / 2
        for (index, text) in lines.enumerated() {
            let box = ListRect(
                x: figure.frame.x + margin, y: top + Double(index) * style.lineHeight,
                width: width, height: style.lineHeight)
            canvas.draw(
                TextLine(text: text, box: box, style: style, alignment: alignment, color: color))
        }
    }
}

extension Picture.Figure {
    /// The frames of all boxes that it is drawn by.
    var boxFrames: [ListRect] { shadowDistances.map(shadowFrame(reaching:)) + [frame] }

    /// How far the boxes of its shadow reach beyond it, in points. A decoration has no shadow.
    fileprivate var shadowDistances: [Double] {
        if case .decoration = identity { return [] }
        return isRaised ? [4, 3, 2, 1] : []
    }

    fileprivate func shadowFrame(reaching distance: Double) -> ListRect {
        frame.inset(
            by: Insets(top: 2 - distance, left: -distance, bottom: -distance, right: -distance))
    }

    /// A corner radius that fits its sides.
    fileprivate func cornerRadius(_ usual: Double) -> Double {
        let side = min(frame.width, frame.height)
        return min(usual, usual.isFinite ? side / 4 : side / 2)
    }

    fileprivate func isLargerThan(_ side: Double) -> Bool {
        min(frame.width, frame.height) > side
    }
}
