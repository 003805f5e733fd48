import SyncLayout
import SyncModel
import Testing

/// What keeps clear of bars and rounded corners.
@Suite("Safe areas")
struct SafeAreaTests {
    private func frames(
        _ spec: LayoutSpec, _ environment: LayoutEnvironment, y: Double = 0, x: Double = 0,
        count: Int = 4
    ) throws -> [ListRect] {
        let viewport = environment.viewport
        let sections = Array(repeating: SectionInput(items: .count(count)), count: 2)
        return try CollectionLayout(spec, in: environment, sections: sections).elements(
            bounds: ListRect(x: x, y: y, width: viewport.width, height: viewport.height)
        ).map(\.frame)
    }

    private func area(
        _ width: Double, _ safeArea: Insets, contentInset: Insets = Insets(),
        margins: Insets? = nil
    ) -> LayoutEnvironment {
        LayoutEnvironment(
            viewport: ListSize(width: width, height: 375), contentInset: contentInset,
            safeArea: safeArea, layoutMargins: margins)
    }

    // MARK: Columns

    @Test("a lying phone has two columns between its corners")
    func columns() throws {
        let notches = area(812, Insets(left: 44, right: 44))
        let plain = try frames(LayoutSpec(kind: .columnFlow), notches)
        #expect(plain.prefix(2).map(\.x) == [44, 422])
        #expect(plain.prefix(2).map(\.width) == [346, 346])

        var spec = LayoutSpec(kind: .columnFlow)
        spec.options.fit = .gutter
        let gutter = try frames(spec, notches)
        #expect(gutter.prefix(2).map(\.x) == [44, 411])
        #expect(gutter.prefix(2).map(\.width) == [357, 357])
    }

    @Test("margins that are given are all that is left free")
    func givenMargins() throws {
        let given = area(
            700, Insets(left: 44, right: 44), margins: Insets(left: 20, right: 20))
        // 660 points are two columns of 330, which are in the safe area one below the other.
        #expect(try frames(LayoutSpec(kind: .columnFlow), given)[0].width == 330)
    }

    @Test("a notch at one side is at that side in a mirror, too", arguments: [false, true])
    func oneSide(isMirrored: Bool) throws {
        var spec = LayoutSpec(kind: .columnFlow)
        spec.rtl = isMirrored
        let frames = try frames(spec, area(768, Insets(left: 44)))
        let (first, second) = isMirrored ? (frames[1], frames[0]) : (frames[0], frames[1])
        #expect(first.x == 44 && first.width == 346)
        #expect(second.maxX == 768)
    }

    // MARK: Pinned headers and footers

    private func pinned(_ direction: LayoutSpec.ScrollDirection = .vertical) -> LayoutSpec {
        var spec = LayoutSpec(kind: .flow)
        spec.scrollDirection = direction
        spec.options.itemSize = ListSize(width: 300, height: 300)
        spec.options.headerReferenceSize = ListSize(width: 30, height: 30)
        spec.options.footerReferenceSize = ListSize(width: 20, height: 20)
        spec.options.sectionHeadersPinToVisibleBounds = true
        spec.options.sectionFootersPinToVisibleBounds = true
        return spec
    }

    @Test(
        "they keep clear of the safe area and of the content inset, whichever is more",
        arguments: [(0, 0, 0), (44, 0, 44), (0, 60, 60), (44, 60, 60), (44, 44, 44)])
    func pins(safe: Double, content: Double, kept: Double) throws {
        let environment = area(
            320, Insets(top: safe, bottom: safe),
            contentInset: Insets(top: content, bottom: content))
        let frames = try frames(pinned(), environment, y: 400)
        #expect(frames[0].y == 400 + kept)
        #expect(frames[5].y == 400 + 375 - 20 - kept)
    }

    @Test("they stay in their sections")
    func pinsEnd() throws {
        let environment = area(320, Insets(top: 100, bottom: 100))
        // Each section is 30 + 4 · 300 + 3 · 10 + 20 = 1,280 high.
        let atEnd = try frames(pinned(), environment, y: 1200)
        #expect(atEnd[0].y == 1280 - 20 - 30)
        #expect(atEnd[6].y == 1300)
        let atStart = try frames(pinned(), environment, y: 1280 - 375)
        #expect(atStart[5].y == 1280 - 120)
        #expect(atStart[11].y == 1280 + 30)
    }

    @Test("a mirrored one keeps clear of the same side of the screen", arguments: [false, true])
    func mirroredPins(isMirrored: Bool) throws {
        var spec = pinned(.horizontal)
        spec.rtl = isMirrored
        let environment = area(375, Insets(left: 50, right: 7))
        let frames = try frames(spec, environment, x: 700)
        let (left, right) = isMirrored ? (frames[11], frames[6]) : (frames[0], frames[5])
        #expect(left.x == 750)
        #expect(right.maxX == 700 + 375 - 7)
    }
}
