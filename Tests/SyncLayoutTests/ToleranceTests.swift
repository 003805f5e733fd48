import SyncLayout
import SyncModel
import Testing

/// Choices by sums of lengths do not depend on how these are computed.
@Suite("What counts as equal")
struct ToleranceTests {
    private func frames(
        _ spec: LayoutSpec, width: Double, scale: Double? = nil, _ items: SectionInput.Items
    ) throws -> [ListRect] {
        let environment = LayoutEnvironment(
            viewport: ListSize(width: width, height: 480), layoutMargins: Insets(),
            pixelScale: scale)
        return try CollectionLayout(
            spec, in: environment, sections: [SectionInput(items: items)]
        ).elements(bounds: ListRect(width: width, height: 480)).map(\.frame)
    }

    // MARK: Pixels

    /// Where an item begins that would begin at x.
    private func rounded(_ x: Double, scale: Double) throws -> Double {
        var spec = LayoutSpec(kind: .flow)
        spec.options.alignment = .leading
        spec.options.sectionInset = Insets(left: x)
        return try frames(spec, width: 320, scale: scale, .count(1))[0].x
    }

    @Test("halves of pixels are rounded away from zero, whatever their last bits are")
    func halves() throws {
        // 1.005 · 100 is less than 100.5.
        #expect(try rounded(1.005, scale: 100) == 1.01)
        #expect(try rounded(-1.005, scale: 100) == -1.01)
        for scale in [1.0, 2, 3, 1.5, 7] {
            for pixels in 0..<400 {
                for half in [Double(pixels) + 0.5, -0.5 - Double(pixels)] {
                    let away = half + (half < 0 ? -0.5 : 0.5)
                    #expect(try rounded(half / scale, scale: scale) == away / scale)
                }
            }
        }
    }

    @Test("so are numbers just below a half, and no others")
    func nearHalves() throws {
        #expect(try rounded(7.5 - 0.9e-6, scale: 1) == 8)
        #expect(try rounded(7.5 - 1.1e-6, scale: 1) == 7)
        #expect(try rounded(-7.5 + 0.9e-6, scale: 1) == -8)
        #expect(try rounded(-7.5 + 1.1e-6, scale: 1) == -7)
        #expect(try rounded(7.5 - 0.8e-6, scale: 2) == 7.5, "the tolerance is in pixels")
        let zero = try rounded(-0.2, scale: 1)
        #expect(zero == 0 && zero.sign == .plus)
    }

    // MARK: Lines

    /// How many of six items of a width, and of six that are not all equally high, are in the first
    /// line.
    private func countsInLine(_ width: Double, spacing: Double, in room: Double) throws -> [Int] {
        var spec = LayoutSpec(kind: .flow)
        spec.options.minimumInteritemSpacing = spacing
        let size = ListSize(width: width, height: 50)
        let equal = Array(repeating: Optional(size), count: 6)
        let mixed = equal + [ListSize(width: 1, height: 1)]
        return try [equal, mixed].map { sizes in
            let frames = try frames(spec, width: room, .sizes(sizes))
            return frames.prefix { $0.y == frames[0].y }.count
        }
    }

    @Test("a line of equal items has as many as one of different ones")
    func lines() throws {
        #expect(try countsInLine(100, spacing: 0, in: 300) == [3, 3])
        #expect(try countsInLine(100, spacing: 0, in: 300 - 0.9e-6) == [3, 3])
        #expect(try countsInLine(100, spacing: 0, in: 300 - 1.1e-6) == [2, 2])
        for tenths in 1..<300 {
            let (width, spacing) = (Double(tenths) * 0.1, Double(tenths % 7) * 0.1)
            let room = Double(3 * tenths + 2 * (tenths % 7)) / 10
            #expect(try countsInLine(width, spacing: spacing, in: room) == [3, 3], "\(tenths)")
        }
    }

    @Test(
        "columns that fit on paper are counted", arguments: LayoutOptions.ColumnFit.allCases)
    func columns(fit: LayoutOptions.ColumnFit) throws {
        var spec = LayoutSpec(kind: .columnFlow)
        spec.options.fit = fit
        for tenths in 31..<600 {
            let gutter = fit == .gutter ? tenths % 7 : 0
            spec.options.minimumInteritemSpacing = Double(gutter) * 0.1
            spec.options.minColumnWidth = Double(tenths) * 0.1
            let room = Double(3 * tenths + 2 * gutter) / 10
            let frames = try frames(spec, width: room, .count(1))
            #expect(frames[0].width == Double(tenths / 10), "\(tenths)")
        }
    }

    @Test("a part of a segment is no point longer than it is on paper")
    func segments() throws {
        // The first segment is whole, then there are two halves.
        for tenths in stride(from: 20, to: 6000, by: 20) {
            let frames = try frames(
                LayoutSpec(kind: .mosaic), width: Double(tenths) * 0.1, .count(3))
            #expect(frames[1].width == Double(tenths / 20), "\(tenths)")
        }
    }
}
