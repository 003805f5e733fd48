import SyncLayout
import SyncModel

/// The sections of a collection along the scroll axis, each where the one before it ends.
struct PlainStack {
    private(set) var sections: [PlainSection]
    private(set) var contentSize: ListSize
    private var axes = Axes(isHorizontal: false)
    private var environment = LayoutEnvironment(viewport: ListSize(width: 0, height: 0))

    /// Makes a stack of sections that already have places.
    init(_ sections: [PlainSection], contentSize: ListSize) {
        self.sections = sections
        self.contentSize = contentSize
    }

    init(
        _ inputs: [SectionInput], spec: LayoutSpec, environment: LayoutEnvironment,
        decisions: Decisions
    ) {
        let axes = Axes(of: spec)
        self.axes = axes
        self.environment = environment
        let inset = environment.contentInset
        let breadth = max(
            0,
            axes.cross(environment.viewport) - axes.crossLead(inset) - axes.crossTrail(inset))
        var end = 0.0
        sections = inputs.map { input in
            let options = PlainOptions(input.options, in: spec)
            options.distances.forEach(decisions.meetAcross)
            let items =
                switch spec.kind {
                case .flow, .columnFlow, .line, .circle:
                    FlowLines(
                        input, options, spec: spec, environment: environment, decisions: decisions
                    ).items()
                case .mosaic:
                    MosaicSegments(input, options, contentWidth: breadth, decisions: decisions)
                        .items()
                case .waterfall:
                    WaterfallColumns(
                        input, options, contentWidth: breadth,
                        pixelScale: environment.pixelScale ?? 1, decisions: decisions
                    ).items()
                }
            let section = PlainStack.section(
                items, options, kind: spec.kind, axes: axes, breadth: breadth, start: end)
            end = section.end
            section.numbers.forEach(decisions.meet)
            return section
        }
        let least =
            switch spec.kind {
            case .mosaic: environment.viewport.height
            case .waterfall: spec.minimumContentHeight?.length ?? 0
            case .flow, .columnFlow, .line, .circle: 0.0
            }
        contentSize = axes.size(main: max(least, end), cross: breadth)
    }

    /// Places a section's other elements around its items.
    private static func section(
        _ items: PlainItems, _ options: PlainOptions, kind: LayoutSpec.Kind, axes: Axes,
        breadth: Double, start: Double
    ) -> PlainSection {
        let bands = bands(options, kind: kind, axes: axes, breadth: breadth)
        var section = PlainSection(options: options)
        section.start = start
        var main = start

        section.header = bands.header
        section.header.frame = axes.moved(
            section.header.frame, by: main + section.header.lead)
        main += section.header.block
        (section.before, main) = blocks(.beforeItems, options, axes, breadth: breadth, from: main)

        let itemsStart = main
        main += axes.mainLead(options.sectionInset)
        section.cells = items.frames.map { axes.moved($0, by: main) }
        main += items.length
        main += axes.mainTrail(options.sectionInset)
        section.itemsArea = axes.rect(
            main: itemsStart, cross: 0, size: axes.size(main: main - itemsStart, cross: breadth))

        (section.after, main) = blocks(.afterItems, options, axes, breadth: breadth, from: main)
        section.footer = bands.footer
        section.footer.frame = axes.moved(
            section.footer.frame, by: main + section.footer.lead)
        main += section.footer.block
        section.end = main
        section.area = axes.rect(
            main: start, cross: 0, size: axes.size(main: main - start, cross: breadth))
        return section
    }

    /// The custom supplementaries on one side of the items, and where they end.
    private static func blocks(
        _ place: CustomSupplementary.Place, _ options: PlainOptions, _ axes: Axes, breadth: Double,
        from start: Double
    ) -> ([(CustomSupplementary, frame: ListRect)], end: Double) {
        var blocks: [(CustomSupplementary, frame: ListRect)] = []
        var main = start
        for supplementary in options.supplementaries where supplementary.place == place {
            let length = axes.main(supplementary.size)
            guard length > 0 else { continue }
            var frame = axes.rect(
                main: main, cross: 0, size: axes.size(main: length, cross: breadth))
            frame.x += supplementary.offset.x
            frame.y += supplementary.offset.y
            blocks.append((supplementary, frame))
            main += length
        }
        return (blocks, main)
    }

    /// All elements in content order.
    func elements() -> [LayoutElement] {
        let content = ListRect(width: contentSize.width, height: contentSize.height)
        var elements: [LayoutElement] = []
        for index in sections.indices {
            elements += sections[index].elements(
                section: index, decorations: decorations(of: index), content: content)
        }
        return elements
    }

    /// A section's decorations, without those for the whole content that an earlier section has.
    private func decorations(of index: Int) -> [Decoration] {
        let earlier = sections[..<index].flatMap { $0.options.decorations }
        return sections[index].options.decorations.filter { own in
            own.cover != .content
                || !earlier.contains { $0.cover == .content && $0.kind == own.kind }
        }
    }

    // MARK: Headers and footers

    private static func bands(
        _ options: PlainOptions, kind: LayoutSpec.Kind, axes: Axes, breadth: Double
    ) -> (header: PlainSection.Band, footer: PlainSection.Band) {
        switch kind {
        case .flow, .columnFlow, .line:
            let header = axes.main(options.headerReferenceSize)
            let footer = axes.main(options.footerReferenceSize)
            return (
                band(header, Insets(), axes, breadth), band(footer, Insets(), axes, breadth)
            )
        case .waterfall:
            return (
                band(options.headerHeight, options.headerInset, axes, breadth),
                band(options.footerHeight, options.footerInset, axes, breadth)
            )
        case .circle, .mosaic: return (PlainSection.Band(), PlainSection.Band())
        }
    }

    /// A header or footer whose frame is at the start of the content.
    private static func band(
        _ length: Double, _ inset: Insets, _ axes: Axes, _ breadth: Double
    ) -> PlainSection.Band {
        let cross = axes.crossLead(inset)
        let own = max(0, breadth - cross - axes.crossTrail(inset))
        return PlainSection.Band(
            lead: axes.mainLead(inset), trail: axes.mainTrail(inset), length: length,
            frame: axes.rect(main: 0, cross: cross, size: axes.size(main: length, cross: own)))
    }

    /// Pins headers and footers to a viewport that begins at `visibleStart`.
    mutating func pin(visibleStart: Double) {
        let content = environment.contentInset
        let safe = environment.safeArea
        let first = visibleStart + max(axes.mainLead(content), axes.mainLead(safe))
        let last =
            visibleStart + axes.main(environment.viewport)
            - max(axes.mainTrail(content), axes.mainTrail(safe))
        for index in sections.indices {
            let section = sections[index]
            let header = section.header
            let footer = section.footer
            if section.options.headersPin {
                let limit = section.end - footer.block - header.length - header.trail
                let main = max(axes.start(header.frame), min(first, limit))
                sections[index].header.frame = axes.placed(header.frame, at: main)
            }
            if section.options.footersPin {
                let limit = section.start + header.block + footer.lead
                let main = min(axes.start(footer.frame), max(last - footer.length, limit))
                sections[index].footer.frame = axes.placed(footer.frame, at: main)
            }
        }
    }
}
