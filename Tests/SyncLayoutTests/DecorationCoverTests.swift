import SyncLayout
import SyncModel
import Testing

/// What decorations cover, and which sections have them.
@Suite("Covers of decorations")
struct DecorationCoverTests {
    private let bounds = ListRect(width: 320, height: 480)

    private func layout(
        _ spec: LayoutSpec, counts: [Int], own: [Int: LayoutOptions] = [:]
    ) throws -> CollectionLayout {
        try CollectionLayout(
            spec, in: LayoutEnvironment(viewport: bounds.size),
            sections: counts.enumerated().map { index, count in
                SectionInput(items: .count(count), options: own[index] ?? LayoutOptions())
            })
    }

    private func options(_ decorations: Decoration...) -> LayoutOptions {
        var options = LayoutOptions()
        options.decorations = decorations
        return options
    }

    private func spec(_ kind: LayoutSpec.Kind, _ decorations: Decoration...) -> LayoutSpec {
        var spec = LayoutSpec(kind: kind)
        spec.options.decorations = decorations
        return spec
    }

    /// The decorations in a rectangle, as "kind section", and their frames.
    private func decorations(
        _ layout: CollectionLayout, in rect: ListRect? = nil
    ) throws -> [(name: String, frame: ListRect)] {
        let elements =
            try rect.map { rect throws(LayoutError) in
                try layout.elements(in: rect, bounds: bounds)
            } ?? layout.elements(bounds: bounds)
        return elements.compactMap { element in
            guard case .decoration(let kind, let section) = element.identity else { return nil }
            return ("\(kind.text) \(section)", element.frame)
        }
    }

    @Test("a circle of three sections shows one background", arguments: Decoration.Cover.allCases)
    func circle(cover: Decoration.Cover) throws {
        let layout = try layout(
            spec(.circle, Decoration(kind: "card", cover: cover)), counts: [3, 2, 1])
        let found = try decorations(layout)
        #expect(found.map(\.name) == ["card 0"])
        #expect(found.map(\.frame) == [bounds])
    }

    @Test("a section's cover has its header and its footer, the items' has not")
    func section() throws {
        var spec = spec(
            .flow, Decoration(kind: "items"), Decoration(kind: "all", cover: .section))
        spec.options.headerReferenceSize = ListSize(width: 0, height: 30)
        spec.options.footerReferenceSize = ListSize(width: 0, height: 20)
        spec.options.sectionInset = Insets(top: 5, bottom: 7)
        // A section is 30 + 5 + 50 + 7 + 20 high; one without items has 50 less.
        let found = try decorations(layout(spec, counts: [3, 0, 1]))
        #expect(
            found.map(\.name) == ["items 0", "all 0", "items 1", "all 1", "items 2", "all 2"])
        #expect(found.map(\.frame.y) == [30, 0, 142, 112, 204, 174])
        #expect(found.map(\.frame.height) == [62, 112, 12, 62, 62, 112])
        #expect(found.allSatisfy { $0.frame.x == 0 && $0.frame.width == 320 })
    }

    @Test("of one kind, the first section covers the content", arguments: LayoutSpec.Kind.allCases)
    func content(kind: LayoutSpec.Kind) throws {
        let layout = try layout(
            spec(kind, Decoration(kind: "card", cover: .content, inset: Insets(top: 3, left: -2))),
            counts: [0, 30, 40],
            own: [
                1: options(Decoration(kind: "sheet", cover: .content)),
                2: options(
                    Decoration(kind: "card", cover: .content),
                    Decoration(kind: "sheet", cover: .content)),
            ])
        let size = layout.contentSize(in: bounds)
        let found = try decorations(layout)
        #expect(found.map(\.name) == ["card 0", "sheet 1"])
        #expect(
            found.map(\.frame) == [
                ListRect(x: -2, y: 3, width: size.width + 2, height: size.height - 3),
                ListRect(width: size.width, height: size.height),
            ])
    }

    @Test("one section shows all that it has of one kind")
    func several() throws {
        let two = spec(
            .flow, Decoration(kind: "card", cover: .content),
            Decoration(kind: "card", cover: .content, inset: Insets(top: 9)))
        let found = try decorations(layout(two, counts: [1, 1]))
        #expect(found.map(\.name) == ["card 0", "card 0"])
        #expect(found.map(\.frame.y) == [0, 9])
    }

    @Test("a cover of the content is found wherever somebody looks, in its order")
    func found() throws {
        let layout = try layout(
            spec(.flow), counts: Array(repeating: 60, count: 9),
            own: [
                4: options(Decoration(kind: "card", cover: .content)),
                6: options(
                    Decoration(kind: "sheet", cover: .content),
                    Decoration(kind: "card", cover: .content)),
            ])
        let all = try layout.elements(bounds: bounds)
        for y in stride(from: 0, to: layout.contentSize(in: bounds).height, by: 211) {
            let rect = ListRect(y: y, width: 320, height: 300)
            #expect(try decorations(layout, in: rect).map(\.name) == ["card 4", "sheet 6"])
            #expect(
                try layout.elements(in: rect, bounds: bounds)
                    == all.filter { $0.frame.intersects(rect) })
        }
    }

    @Test("it moves to the next section when its own is deleted, and grows with the content")
    func batches() throws {
        let layout = try layout(
            spec(.flow, Decoration(kind: "card", cover: .content)), counts: [4, 7, 2, 1],
            own: [2: options(Decoration(kind: "sheet", cover: .content))])
        var stage = Stage()
        stage.deleteSections = [0]
        try layout.apply(Batch(from: 0, to: 1, stages: [stage], sections: 2))
        let found = try decorations(layout)
        #expect(found.map(\.name) == ["card 0", "sheet 1"])
        #expect(layout.contentSize(in: bounds).height == 210)
        #expect(found.map(\.frame.height) == [210, 210])
    }

    @Test(
        "a background of the content is of no section that something could be dropped into",
        arguments: Decoration.Cover.allCases)
    func drops(cover: Decoration.Cover) throws {
        var spec = spec(.flow, Decoration(kind: "card", cover: cover))
        spec.options.sectionInset = Insets(top: 10)
        let preview = LayoutPreview(of: try layout(spec, counts: [0, 3]))
        let home = ItemPath(section: 1, item: 0)
        try preview.hold(HeldItem(path: home, target: home, center: nil))
        func target(_ x: Double, _ y: Double) throws -> ItemPath? {
            try preview.moveLast(to: ListPoint(x: x, y: y), bounds: bounds) { _ in true }
        }
        // Beside the items of the second section.
        #expect(try target(300, 40) == home)
        guard cover != .content else { return }
        #expect(try target(300, 5) == ItemPath(section: 0, item: 0))
    }
}
