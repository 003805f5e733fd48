import SyncLayout
import SyncModel

/// Places a section's items in columns of equal width.
struct WaterfallColumns {
    let sizes: [ListSize]
    let options: PlainOptions
    /// The width of every column.
    let width: Double
    /// How many of the units in which columns are counted are one point. The unit is a pixel if
    /// items have their proportions, so that heights are whole numbers; otherwise it is a point.
    let unitsPerPoint: Double
    let decisions: Decisions

    /// A column with the items that it has so far.
    private struct Column {
        /// The sum of its items' heights, in units, and what was lost by rounding.
        private(set) var heights = 0.0
        private(set) var lost = 0.0
        private(set) var count = 0.0

        mutating func put(_ height: Double) {
            let sum = heights + height
            lost += heights > height ? heights - sum + height : height - sum + heights
            heights = sum
            count += 1
        }
    }

    init(
        _ section: SectionInput, _ options: PlainOptions, contentWidth: Double, pixelScale: Double,
        decisions: Decisions
    ) {
        sizes = options.sizes(of: section)
        self.options = options
        self.decisions = decisions
        unitsPerPoint = options.sizing == .proportional ? pixelScale : 1
        let columns = Double(options.columnCount)
        let free =
            contentWidth - options.sectionInset.left - options.sectionInset.right
            - (columns - 1) * options.columnSpacing
        width = max(0, decisions.floor(free / columns * pixelScale) / pixelScale)
    }

    func items() -> PlainItems {
        var items = PlainItems()
        var columns = Array(repeating: Column(), count: options.columnCount)
        for (index, size) in sizes.enumerated() {
            let lengths = columns.map { length(of: $0) }
            let number = column(of: index, lengths: lengths)
            let height = units(of: size)
            let frame = ListRect(
                x: options.sectionInset.left + Double(number) * (width + options.columnSpacing),
                y: lengths[number] / unitsPerPoint, width: width, height: height / unitsPerPoint)
            items.frames.append(frame)
            columns[number].put(height)
            items.length = max(items.length, end(of: columns[number]) / unitsPerPoint)
            decisions.meet(length(of: columns[number]) / unitsPerPoint)
        }
        return items
    }

    /// Where the next item of a column would begin, in units.
    private func length(of column: Column) -> Double {
        column.heights + (column.lost + spacings(column.count))
    }

    /// Where the last item of a column ends, in units.
    private func end(of column: Column) -> Double {
        column.heights + (column.lost + spacings(column.count - 1))
    }

    /// Several spacings as one product: so an exact sum of heights remains exact.
    private func spacings(_ count: Double) -> Double {
        count * (options.interitemSpacing * unitsPerPoint)
    }

    private func column(of index: Int, lengths: [Double]) -> Int {
        let columns = lengths.count
        switch options.renderDirection {
        case .leftToRight: return index % columns
        case .rightToLeft: return columns - 1 - index % columns
        case .shortestFirst:
            let shortest = lengths.indices.min { lengths[$0] < lengths[$1] } ?? 0
            let candidates = lengths.indices.filter {
                $0 == shortest || decisions.isAtMost(lengths[$0], lengths[shortest])
            }
            return candidates.first ?? shortest
        }
    }

    /// An item's height in units.
    private func units(of size: ListSize) -> Double {
        switch options.sizing {
        case .absolute: return size.height
        case .proportional:
            guard size.width > 0, size.height > 0 else { return 0 }
            return decisions.floor(size.height * width / size.width * unitsPerPoint)
        }
    }
}
