import SyncLayout
import SyncModel

/// Breaks a section's items into lines and places them: for flow, and for column flow and line,
/// which are based on it.
struct FlowLines {
    let sizes: [ListSize]
    let options: PlainOptions
    let axes: Axes
    /// Whether each line has one item, even if more fit.
    let isOneAcross: Bool
    /// Where lines begin across the scroll axis.
    let start: Double
    /// The greatest length of a line.
    let available: Double
    let decisions: Decisions

    private struct Line {
        var items: Range<Int>
        /// The distance from the line's start to the first item.
        var offset = 0.0
        /// The free room between two items.
        var gap = 0.0
    }

    init(
        _ section: SectionInput, _ options: PlainOptions, spec: LayoutSpec,
        environment: LayoutEnvironment, decisions: Decisions
    ) {
        axes = Axes(of: spec)
        self.options = options
        self.decisions = decisions
        isOneAcross = spec.kind == .line
        if spec.kind == .columnFlow {
            let margins = FlowLines.margins(spec, options, environment)
            let size = FlowLines.cellSize(options, environment, margins, decisions)
            sizes = Array(repeating: size, count: max(0, section.count))
        } else {
            sizes = options.sizes(of: section)
        }
        let reference =
            switch options.insetReference {
            case .contentInset: environment.contentInset
            case .safeArea: environment.safeArea
            case .layoutMargins: FlowLines.margins(spec, options, environment)
            }
        start =
            axes.crossLead(reference) - axes.crossLead(environment.contentInset)
            + axes.crossLead(options.sectionInset)
        available = max(
            0,
            axes.cross(environment.viewport)
                - axes.crossLead(reference) - axes.crossTrail(reference)
                - axes.crossLead(options.sectionInset) - axes.crossTrail(options.sectionInset))
    }

    /// The environment's margins, else the layout's default.
    private static func margins(
        _ spec: LayoutSpec, _ options: PlainOptions, _ environment: LayoutEnvironment
    ) -> Insets {
        if let given = environment.layoutMargins { return given }
        guard spec.kind == .columnFlow else { return Insets() }
        let safe = environment.safeArea
        let more = options.fit == .plain ? 16.0 : 0
        return Insets(
            top: safe.top + more, left: safe.left + more, bottom: safe.bottom + more,
            right: safe.right + more)
    }

    /// The size of all cells of a column flow.
    private static func cellSize(
        _ options: PlainOptions, _ environment: LayoutEnvironment, _ margins: Insets,
        _ decisions: Decisions
    ) -> ListSize {
        let available = max(0, environment.viewport.width - margins.left - margins.right)
        let gutter = options.fit == .gutter ? options.interitemSpacing : 0
        let columns = min(
            1e9, decisions.count(of: options.minimumColumnWidth, gap: gutter, in: available))
        let width = decisions.floor((available - (columns - 1) * gutter) / columns)
        return ListSize(width: max(0, width), height: options.cellHeight)
    }

    func items() -> PlainItems {
        guard let first = sizes.first else { return PlainItems() }
        let lines = sizes.allSatisfy { $0 == first } ? uniformLines(of: first) : mixedLines()
        var items = PlainItems()
        for (number, line) in lines.enumerated() {
            if number > 0 { items.length += options.lineSpacing }
            let thickness = line.items.reduce(0) { max($0, axes.main(sizes[$1])) }
            var cross = start + line.offset
            for size in sizes[line.items] {
                let inLine =
                    options.lineAlignment == .center ? (thickness - axes.main(size)) / 2 : 0
                let main = items.length + inLine
                items.frames.append(axes.rect(main: main, cross: cross, size: size))
                cross += axes.cross(size) + line.gap
            }
            items.length += thickness
        }
        return items
    }

    // MARK: Sections of one size

    private func uniformLines(of size: ListSize) -> [Line] {
        let length = axes.cross(size)
        let spacing = options.interitemSpacing
        var grid = 1.0
        if !isOneAcross {
            if length + spacing == 0 {
                return [Line(items: sizes.indices, offset: offset(used: 0))]
            }
            grid = decisions.count(of: length, gap: spacing, in: available)
        }
        let perLine = Int(min(grid, Double(sizes.count)))
        return stride(from: 0, to: sizes.count, by: perLine).map { first in
            var line = Line(items: first..<min(first + perLine, sizes.count), gap: spacing)
            if options.alignment == .justify {
                let leftover = max(0, available - grid * length - (grid - 1) * spacing)
                if grid > 1 {
                    line.gap += leftover / (grid - 1)
                } else {
                    line.offset = leftover / 2
                }
            } else {
                let count = Double(line.items.count)
                line.offset = offset(used: count * length + (count - 1) * spacing)
            }
            return line
        }
    }

    // MARK: Sections of different sizes

    private func mixedLines() -> [Line] {
        var lines: [Line] = []
        var used: [Double] = []
        for (index, size) in sizes.enumerated() {
            let length = axes.cross(size)
            if let before = used.last, !isOneAcross,
                decisions.isAtMost(before + options.interitemSpacing + length, available)
            {
                lines[lines.count - 1].items = lines[lines.count - 1].items.lowerBound..<index + 1
                used[used.count - 1] = before + options.interitemSpacing + length
            } else {
                lines.append(Line(items: index..<index + 1, gap: options.interitemSpacing))
                used.append(length)
            }
        }
        for number in lines.indices {
            let leftover = max(0, available - used[number])
            let count = lines[number].items.count
            // A section's last line is spread only in the layout `line`.
            let isSpread = number < lines.count - 1 || isOneAcross
            if options.alignment != .justify {
                lines[number].offset = offset(used: used[number])
            } else if isSpread, count == 1 {
                lines[number].offset = leftover / 2
            } else if isSpread {
                lines[number].gap += leftover / Double(count - 1)
            }
        }
        return lines
    }

    /// The offset of a line that is not spread.
    private func offset(used: Double) -> Double {
        let leftover = max(0, available - used)
        return switch options.alignment {
        case .justify, .leading: 0
        case .center: leftover / 2
        case .trailing: leftover
        }
    }
}
