import SyncLayout
import SyncModel
import Testing

/// Elements at unusual places are found, too.
@Suite("Elements in odd places")
struct FoundElementTests {
    private let environment = LayoutEnvironment(viewport: ListSize(width: 100, height: 20))
    private let screen = ListRect(width: 100, height: 20)

    private func kinds(_ elements: [LayoutElement]) -> [String] {
        elements.map { element in
            switch element.identity {
            case .cell(let path): "\(path.section).\(path.item)"
            case .supplementary(let kind, let section): "\(kind) \(section)"
            case .itemSupplementary(let kind, let path): "\(kind) \(path.section).\(path.item)"
            case .decoration(let kind, let section): "\(kind) \(section)"
            }
        }
    }

    @Test("a decoration begins before the items")
    func decorationBeforeItems() throws {
        var spec = LayoutSpec(kind: .flow)
        spec.options.sectionInset = Insets(top: 100)
        spec.options.decorations = [Decoration(kind: "back")]
        let layout = try CollectionLayout(
            spec, in: environment, sections: [SectionInput(items: .count(3))])
        #expect(kinds(try layout.elements(in: screen, bounds: screen)) == ["back 0"])
    }

    @Test("a footer pins before the items, over other elements")
    func footerBeforeItems() throws {
        var spec = LayoutSpec(kind: .flow)
        spec.options.footerReferenceSize = ListSize(width: 0, height: 10)
        spec.options.sectionFootersPinToVisibleBounds = true
        spec.options.supplementaries = [
            CustomSupplementary(
                kind: "banner", place: .beforeItems, size: ListSize(width: 0, height: 60))
        ]
        let layout = try CollectionLayout(
            spec, in: environment, sections: [SectionInput(items: .count(3))])
        let elements = try layout.elements(in: screen, bounds: screen)
        #expect(kinds(elements) == ["banner 0", "footer 0"])
        #expect(elements.last?.frame == ListRect(y: 10, width: 100, height: 10))
    }

    @Test("a decoration with insets beyond its area is empty, and after its section")
    func emptyDecoration() throws {
        var options = LayoutOptions()
        options.decorations = [
            Decoration(kind: "back", inset: Insets(top: 500, bottom: 500))
        ]
        let layout = try CollectionLayout(
            LayoutSpec(kind: .mosaic), in: environment,
            sections: [
                SectionInput(items: .count(0), options: options), SectionInput(items: .count(30)),
            ])
        let rect = ListRect(y: 499, width: 100, height: 2)
        let elements = try layout.elements(in: rect, bounds: screen)
        #expect(kinds(elements).first == "back 0")
        #expect(elements.first?.frame == ListRect(y: 500, width: 100, height: 0))
    }

    @Test("scrolling ends at the nearest cell, though insets put it beside the content")
    func cellBesideContent() throws {
        var near = LayoutOptions()
        near.sectionInset = Insets()
        let layout = try CollectionLayout(
            LayoutSpec(kind: .line), in: environment,
            sections: [
                SectionInput(items: .count(1), options: near), SectionInput(items: .count(2)),
            ])
        let target = layout.targetContentOffset(proposed: ListPoint(x: 240, y: 0), bounds: screen)
        #expect(target == ListPoint(x: 250, y: 0))
    }

    @Test("a rectangle as large as numbers get holds everything", arguments: [false, true])
    func largestRectangle(rtl: Bool) throws {
        var spec = LayoutSpec(kind: .flow)
        spec.rtl = rtl
        let layout = try CollectionLayout(
            spec, in: environment, sections: [SectionInput(items: .count(7))])
        let most = Double.greatestFiniteMagnitude
        for rect in [
            ListRect(x: -10, y: -10, width: most, height: most),
            ListRect(x: -most / 2, y: -most / 2, width: most, height: most),
        ] {
            #expect(try layout.elements(in: rect, bounds: screen).count == 7, "\(rect)")
        }
    }
}
