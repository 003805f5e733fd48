import SyncLayout
import SyncModel

/// Places a section's items in columns of equal width.
struct WaterfallColumns {
    let sizes: [ListSize]
    let options: PlainOptions
    /// The width of every column.
    let width: Double
    /// Pixels a point; lengths are rounded down to whole pixels.
    let scale: Double
    let decisions: Decisions

    init(
        _ section: SectionInput, _ options: PlainOptions, environment: LayoutEnvironment,
        decisions: Decisions
    ) {
        sizes = options.sizes(of: section)
        self.options = options
        self.decisions = decisions
        scale = environment.pixelScale ?? 1
        let columns = Double(options.columnCount)
        let content = environment.contentInset
        let inset = options.sectionInset
        let free =
            environment.viewport.width - content.left - content.right - inset.left - inset.right
            - (columns - 1) * options.columnSpacing
        width = max(0, decisions.floor(free / columns * scale) / scale)
    }

    func items() -> PlainItems {
        var items = PlainItems()
        // Where the next item of each column would go.
        var tops = Array(repeating: 0.0, count: options.columnCount)
        for (index, size) in sizes.enumerated() {
            let column = column(of: index, tops: tops)
            let frame = ListRect(
                x: options.sectionInset.left + Double(column) * (width + options.columnSpacing),
                y: tops[column], width: width, height: height(of: size))
            items.frames.append(frame)
            items.length = max(items.length, frame.maxY)
            tops[column] = frame.maxY + options.interitemSpacing
            decisions.meet(tops[column])
        }
        return items
    }

    private func column(of index: Int, tops: [Double]) -> Int {
        let columns = tops.count
        switch options.renderDirection {
        case .leftToRight: return index % columns
        case .rightToLeft: return columns - 1 - index % columns
        case .shortestFirst:
            var shortest = 0
            for column in tops.indices where decisions.isLess(tops[column], tops[shortest]) {
                shortest = column
            }
            return shortest
        }
    }

    private func height(of size: ListSize) -> Double {
        switch options.sizing {
        case .absolute: return size.height
        case .proportional:
            guard size.width > 0, size.height > 0 else { return 0 }
            return decisions.floor(size.height * width / size.width * scale) / scale
        }
    }
}
