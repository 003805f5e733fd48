import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel
import Testing

/// Columns whose lengths are equal on paper, though seldom as sums of doubles.
@Suite("Columns of equal length")
struct TiedColumnsTests {
    private func layout(
        _ sizes: [ListSize], width: Double, scale: Double? = nil,
        _ change: (inout LayoutOptions) -> Void
    ) throws -> CollectionLayout {
        var spec = LayoutSpec(kind: .waterfall)
        change(&spec.options)
        return try CollectionLayout(
            spec,
            in: LayoutEnvironment(
                viewport: ListSize(width: width, height: 600), pixelScale: scale),
            sections: [SectionInput(items: .sizes(sizes))])
    }

    private func frame(ofItem item: Int, _ layout: CollectionLayout) throws -> ListRect {
        try #require(
            layout.element(.cell(ItemPath(section: 0, item: item)), bounds: ListRect())?.frame)
    }

    private func high(_ heights: Double...) -> [ListSize] {
        heights.map { ListSize(width: 1, height: $0) }
    }

    // MARK: Exact fractions

    @Test("items go to the columns that exact fractions give", arguments: UInt64(1)...120)
    func exactFractions(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let wall = FractionWall(using: &random, count: 1 + random.below(300))
        try expectExact(wall, seed: seed)
    }

    @Test("of ten thousand items, too", arguments: UInt64(1001)...1012)
    func manyExactFractions(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        try expectExact(FractionWall(using: &random, count: 10_000), seed: seed)
    }

    private func expectExact(_ wall: FractionWall, seed: UInt64) throws {
        let bounds = ListRect(width: wall.environment.viewport.width, height: 600)
        let sections = [SectionInput(items: .sizes(wall.sizes))]
        let layout = try CollectionLayout(wall.spec, in: wall.environment, sections: sections)
        let twin = LayoutTwin(
            wall.spec, in: wall.environment, sections: sections, bounds: bounds)
        for elements in [try layout.elements(bounds: bounds), twin.elements] {
            let columns = elements.map { wall.column(atX: $0.frame.x) }
            let wrong = zip(columns, wall.columns).enumerated().first { $1.0 != $1.1 }
            #expect(wrong == nil, "seed \(seed): \(wall.spec.options), item and columns")
            #expect(elements.count == wall.columns.count)
        }
    }

    @Test("a sum of ten thousand thirds is as exact as one number")
    func drift() throws {
        let length = 1e8 / 3
        let third = ListSize(width: 1, height: 10_000.0 / 3)
        let sizes =
            [ListSize(width: 1, height: length)] + Array(repeating: third, count: 10_000)
            + high(5, 5)
        var sum = 0.0
        for _ in 0..<10_000 { sum += third.height }
        #expect(abs(sum - length) > 1e-6, "a plain sum is off by more than the tolerance")
        let layout = try layout(sizes, width: 320) { options in
            options.sizing = .absolute
            options.minimumInteritemSpacing = 0
        }
        #expect(try frame(ofItem: 10_000, layout).x == 165)
        #expect(try frame(ofItem: 10_001, layout).x == 0, "both columns are equally long")
        #expect(try frame(ofItem: 10_002, layout).x == 165)
    }

    // MARK: The tolerance

    @Test(
        "a column that is longer by a millionth counts as equally long, and by two does not",
        arguments: [(2, 1e-6, true), (2, 2e-6, false), (30, 1e-6, true), (30, 2e-6, false)])
    func tolerance(columns: Int, more: Double, isEqual: Bool) throws {
        // The first column is a little longer than the others, then all have the same again.
        let first = Array(repeating: 1.0, count: columns)
        var sizes = first.map { ListSize(width: 1, height: $0) }
        sizes[0].height += more * 0.999
        let layout = try layout(sizes + high(7), width: 900) { options in
            options.columnCount = columns
            options.sizing = .absolute
        }
        #expect(try (frame(ofItem: columns, layout).x == 0) == isEqual)
    }

    @Test("an item that ends at a pixel on paper does", arguments: [1, 2, 3, 1.5])
    func wholePixels(scale: Double) throws {
        // 0.1 · 3 is more than 0.3.
        let sizes = stride(from: 1.0, through: 300, by: 7).map {
            ListSize(width: 0.1 * 3, height: 0.3 * $0 / scale)
        }
        let layout = try layout(sizes, width: 320, scale: scale) { $0.columnCount = 1 }
        var end = 0.0
        for (item, height) in stride(from: 1.0, through: 300, by: 7).enumerated() {
            let frame = try frame(ofItem: item, layout)
            #expect(frame.height == 320 * height / scale)
            #expect(abs(frame.y - end) < 1e-6)
            end += 320 * height / scale + 10
        }
    }
}

/// A waterfall whose lengths are fractions, and the columns of its items. They are counted in whole
/// numbers, without any rounding.
private struct FractionWall {
    private(set) var spec = LayoutSpec(kind: .waterfall)
    let environment: LayoutEnvironment
    private(set) var sizes: [ListSize] = []
    /// The column of each item.
    private(set) var columns: [Int] = []
    private let pitch: Double

    /// All lengths are multiples of a point, or of a pixel, divided by this.
    private static let parts = 720
    private static let photos = [
        (1, 1), (3, 2), (2, 3), (4, 3), (3, 4), (16, 9), (9, 16), (5, 4), (4032, 3024),
        (1080, 1350),
    ]

    init(using random: inout SplitMix64, count: Int) {
        let scale = [1, 2, 3][random.below(3)]
        let width = [320, 375, 390, 393, 402, 430, 768, 1024][random.below(8)]
        let columnCount = 2 + random.below(random.chance(20) ? 20 : 4)
        let columnSpacing = [0, 1, 8, 10][random.below(4)]
        environment = LayoutEnvironment(
            viewport: ListSize(width: Double(width), height: 600), pixelScale: Double(scale))
        spec.options.columnCount = columnCount
        spec.options.minimumColumnSpacing = Double(columnSpacing)
        let isAbsolute = random.chance(40)
        spec.options.sizing = isAbsolute ? .absolute : .proportional
        // In parts of a point: none, 10 points, thirds, tenths.
        let spacing = [0, 7200, 240, 2400, 72, 5904][random.below(6)]
        spec.options.minimumInteritemSpacing = Double(spacing) / Double(Self.parts)
        let pixelWidth = (width - (columnCount - 1) * columnSpacing) * scale / columnCount
        pitch = Double(pixelWidth) / Double(scale) + Double(columnSpacing)
        let unit = [3, 10, 9, 16, 1][random.below(5)]
        let least = 1 + random.below(random.chance(30) ? 5_000 : 100)
        let few = (0..<1 + random.below(5)).map { _ in
            isAbsolute
                ? FractionWall.absolute(least * (1 + random.below(4)), unit)
                : FractionWall.photo(&random, pixelWidth)
        }
        var lengths = Array(repeating: 0, count: columnCount)
        for _ in 0..<count {
            let (size, parts) = few[random.below(few.count)]
            sizes.append(size)
            let shortest = lengths.indices.min { lengths[$0] < lengths[$1] } ?? 0
            columns.append(shortest)
            lengths[shortest] += parts + (isAbsolute ? spacing : spacing * scale)
        }
    }

    /// A photo in a column, and its height in parts of a pixel.
    private static func photo(
        _ random: inout SplitMix64, _ pixelWidth: Int
    ) -> (ListSize, Int) {
        let (width, height) = photos[random.below(photos.count)]
        // Some programs give the size in points of a 3× screen.
        let unit = [1.0, 3, 0.1][random.below(3)]
        let size = ListSize(width: Double(width) / unit, height: Double(height) / unit)
        return (size, height * pixelWidth / width * parts)
    }

    /// An item with a height of its own, and that in parts of a point.
    private static func absolute(_ count: Int, _ unit: Int) -> (ListSize, Int) {
        (ListSize(width: 1, height: Double(count) / Double(unit)), count * (parts / unit))
    }

    /// The column of an item that begins at x.
    func column(atX x: Double) -> Int { Int((x / pitch).rounded()) }
}
