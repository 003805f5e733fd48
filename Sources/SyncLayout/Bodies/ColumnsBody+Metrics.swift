import SyncModel

extension ColumnsBody {
    package struct Metrics: Sendable, Hashable {
        package var columns = 1
        package var columnWidth = 0.0
        /// Where the first column begins across.
        package var start = 0.0
        package var columnSpacing = 0.0
        package var spacing = 0.0
        package var sizing = LayoutOptions.Sizing.proportional
        package var direction = LayoutOptions.RenderDirection.shortestFirst
        /// The number of pixels in a point; heights are rounded down to whole pixels.
        package var pixelScale = 1.0

        package init() {}

        /// The number of units in a point.
        var unitScale: Double { sizing == .absolute ? 1 : pixelScale }

        /// The spacing in units. One that is a whole number of pixels, but for the last bits, is
        /// one.
        var unitSpacing: Double {
            let units = spacing * unitScale
            let whole = units.rounded()
            return sizing == .proportional && abs(units - whole) <= 0x1p-50 * whole ? whole : units
        }

        /// Whether all lengths are whole numbers of units, so that their sums have no rounding
        /// errors.
        var isWhole: Bool {
            sizing == .proportional && unitSpacing == unitSpacing.rounded()
        }

        /// The height of an item in units.
        @inline(__always)
        func height(of size: ListSize) -> Double {
            if sizing == .absolute { return size.height }
            guard size.width > 0, size.height > 0 else { return 0 }
            return ColumnsBody.wholePixels(size.height * columnWidth / size.width, pixelScale)
        }

        /// `nil` unless every item goes to the shortest of a few columns, and lengths are whole
        /// pixels.
        var heights: PixelHeights? {
            guard sizing == .proportional, direction == .shortestFirst,
                columns <= PixelColumns.mostColumns
            else { return nil }
            return PixelHeights(
                columnWidth: columnWidth, spacing: unitSpacing, pixelScale: pixelScale)
        }
    }

    /// The whole pixels of a length that is not negative. An infinite length has none.
    @inline(__always)
    static func wholePixels(_ length: Double, _ pixelScale: Double) -> Double {
        let pixels = length * pixelScale + Double.tolerance
        // 2^52. A double this large has no fraction, and adding it to a smaller one rounds the
        // fraction away.
        let whole = 4_503_599_627_370_496.0
        guard pixels < whole else { return length < .infinity ? length * pixelScale : 0 }
        let nearest = pixels + whole - whole
        return nearest > pixels ? nearest - 1 : nearest
    }
}
