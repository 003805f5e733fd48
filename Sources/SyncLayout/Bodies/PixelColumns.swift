/// Up to four columns whose lengths are whole pixels, each as one integer. They stay sorted in
/// registers, so the shortest one is known without a comparison.
struct PixelColumns {
    static let mostColumns = 4

    // A column's length, with its index in the lowest bits, so that of equally long columns the
    // leftmost comes first. In ascending order; missing columns come last.
    private var first = Int.max
    private var second = Int.max
    private var third = Int.max
    private var fourth = Int.max

    private static let indexBits = 2
    /// Below this, all lengths are exact and no sum overflows.
    private static let longColumn = 0x1p50

    /// - Parameter tops: where the next item of each column would go, in pixels.
    /// - Returns: `nil` if these are no whole numbers, or very large.
    @inline(__always)
    init?(_ tops: Slice<UnsafeMutableBufferPointer<Double>>) {
        for column in 0..<min(tops.count, PixelColumns.mostColumns) {
            let pixels = tops[tops.startIndex + column]
            guard pixels >= 0, pixels < PixelColumns.longColumn, let whole = Int(exactly: pixels)
            else { return nil }
            fourth = whole << PixelColumns.indexBits | column
            if fourth < third { swap(&third, &fourth) }
            if third < second { swap(&second, &third) }
            if second < first { swap(&first, &second) }
        }
    }

    /// Adds to the shortest column.
    @inline(__always)
    mutating func put(_ pixels: Int32) {
        var longer = first &+ Int(pixels) << PixelColumns.indexBits
        first = min(longer, second)
        longer = max(longer, second)
        second = min(longer, third)
        longer = max(longer, third)
        third = min(longer, fourth)
        fourth = max(longer, fourth)
    }

    /// Writes where the next item of each column would go, in pixels.
    @inline(__always)
    func write(to tops: Slice<UnsafeMutableBufferPointer<Double>>) {
        write(first, to: tops)
        write(second, to: tops)
        write(third, to: tops)
        write(fourth, to: tops)
    }

    @inline(__always)
    private func write(_ column: Int, to tops: Slice<UnsafeMutableBufferPointer<Double>>) {
        guard column != .max else { return }
        var tops = tops
        let index = column & (1 << PixelColumns.indexBits - 1)
        tops[tops.startIndex + index] = Double(column >> PixelColumns.indexBits)
    }
}
