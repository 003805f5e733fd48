import SyncLayout
import SyncModel
import Testing

/// Where the items of a line are across, and where scrolling ends.
@Suite("Lines")
struct LineTests {
    private func frames(
        _ viewport: ListSize, _ items: SectionInput.Items = .count(2),
        _ change: (inout LayoutSpec) -> Void = { _ in }
    ) throws -> [ListRect] {
        var spec = LayoutSpec(kind: .line)
        change(&spec)
        return try CollectionLayout(
            spec, in: LayoutEnvironment(viewport: viewport), sections: [SectionInput(items: items)]
        ).elements(bounds: ListRect(width: viewport.width, height: viewport.height)).map(\.frame)
    }

    @Test(
        "items are in the middle of the screen, and never above it",
        arguments: [(667, 375, 87.5), (320, 200, 0), (568, 320, 60), (568, 150, 0)])
    func centred(width: Double, height: Double, y: Double) throws {
        let size = ListSize(width: width, height: height)
        #expect(try frames(size).map(\.y) == [y, y])
        let standing = ListSize(width: height, height: width)
        #expect(try frames(standing) { $0.scrollDirection = .vertical }.map(\.x) == [y, y])
    }

    @Test("items of different sizes are, too, the last one and those that are alone")
    func mixed() throws {
        let sizes = [40.0, 60, 100, 400].map { ListSize(width: 50, height: $0) as ListSize? }
        let screen = ListSize(width: 320, height: 300)
        for count in 1...4 {
            let frames = try frames(screen, .sizes(Array(sizes[..<count])))
            #expect(frames.map(\.y) == Array([130, 120, 100, 0][..<count]))
        }
        let leading = try frames(screen, .sizes(sizes)) { $0.options.alignment = .leading }
        #expect(leading.map(\.y) == [0, 0, 0, 0])
    }

    // MARK: Where scrolling ends

    /// A carousel whose first and last items can be in the middle.
    private func carousel(
        _ change: (inout LayoutSpec) -> Void = { _ in }
    ) throws -> CollectionLayout {
        var spec = LayoutSpec(kind: .line)
        change(&spec)
        return try CollectionLayout(
            spec,
            in: LayoutEnvironment(
                viewport: ListSize(width: 375, height: 400),
                contentInset: Insets(left: 87.5, right: 87.5)),
            sections: [SectionInput(items: .count(4))])
    }

    private let bounds = ListRect(x: -87.5, width: 375, height: 400)

    @Test(
        "it ends with any item in the middle, in both directions",
        arguments: [-500, -87.5, -1, 162.5, 200, 612.5, 662.5, 5000])
    func contentInset(x: Double) throws {
        // Items are 250 apart; the first one is in the middle at −87.5, the last one at 662.5.
        let expected = [-500: -87.5, -87.5: -87.5, -1: -87.5, 612.5: 662.5, 5000: 662.5]
        for isMirrored in [false, true] {
            let target = try carousel { $0.rtl = isMirrored }
                .targetContentOffset(proposed: ListPoint(x: x, y: 9), bounds: bounds)
            #expect(target == ListPoint(x: expected[x] ?? (x > 600 ? 662.5 : 162.5), y: 9))
        }
    }

    @Test("content insets of two lengths stay at their sides of the screen")
    func unequalInsets() throws {
        var spec = LayoutSpec(kind: .line)
        for isMirrored in [false, true] {
            spec.rtl = isMirrored
            let layout = try CollectionLayout(
                spec,
                in: LayoutEnvironment(
                    viewport: ListSize(width: 375, height: 400),
                    contentInset: Insets(left: 20, right: 50)),
                sections: [SectionInput(items: .count(4))])
            func target(_ x: Double) -> Double {
                layout.targetContentOffset(proposed: ListPoint(x: x), bounds: bounds).x
            }
            #expect(target(-200) == -20)
            #expect(target(2000) == 950 + 50 - 375)
        }
    }

    @Test("content that is shorter than the screen begins behind its inset")
    func shortContent() throws {
        let layout = try CollectionLayout(
            LayoutSpec(kind: .line),
            in: LayoutEnvironment(
                viewport: ListSize(width: 900, height: 400), contentInset: Insets(left: 30)),
            sections: [SectionInput(items: .count(1))])
        for x in [-30.0, 0, 400] {
            let target = layout.targetContentOffset(
                proposed: ListPoint(x: x), bounds: ListRect(width: 900, height: 400))
            #expect(target.x == -30)
        }
    }

    @Test("of two cells that are equally near on paper, the first one is taken")
    func tie() throws {
        // Their centres are at 0.05 and 0.25, and the proposed one is at 0.15.
        var spec = LayoutSpec(kind: .line)
        spec.options.itemSize = ListSize(width: 0.1, height: 0.1)
        spec.options.minimumLineSpacing = 0.1
        let layout = try CollectionLayout(
            spec, in: LayoutEnvironment(viewport: ListSize(width: 0.1, height: 1)),
            sections: [SectionInput(items: .count(9))])
        for item in 0..<8 {
            let middle = (0.2 * Double(item) + 0.2 * Double(item + 1)) / 2
            let target = layout.targetContentOffset(
                proposed: ListPoint(x: middle), bounds: ListRect(width: 0.1, height: 1))
            #expect(abs(target.x - 0.2 * Double(item)) < 1e-9, "\(item)")
        }
    }

    @Test("a cell that touches the active distance on paper is not larger")
    func activeDistance() throws {
        // 0.1 + 0.2 is more than 0.3.
        var spec = LayoutSpec(kind: .line)
        spec.options.itemSize = ListSize(width: 0.2, height: 0.2)
        spec.options.minimumLineSpacing = 0.1
        spec.activeDistance = 0.1 + 0.2
        let layout = try CollectionLayout(
            spec, in: LayoutEnvironment(viewport: ListSize(width: 0.2, height: 1)),
            sections: [SectionInput(items: .count(20))])
        for item in 1..<18 {
            let bounds = ListRect(x: 0.3 * Double(item), width: 0.2, height: 1)
            let levels = try layout.elements(bounds: bounds).map(\.zIndex)
            #expect(levels == (0..<20).map { $0 == item ? 1 : 0 }, "\(item)")
        }
    }
}
