import SyncJSON
import SyncLayout
import SyncModel
import Testing

/// The input of `layout`: every key, and which keys are optional.
@Suite struct LayoutInputTests {
    private func size(_ width: Double, _ height: Double) -> ListSize {
        ListSize(width: width, height: height)
    }

    /// A line with a layout, bounds and sections.
    private func input(
        layout: String = #"{"kind":"flow"}"#, sections: String = "[]", more: String = ""
    ) throws -> LayoutInput {
        try readLayout(
            #"{"layout":\#(layout),"bounds":{"width":320,"height":480},"sections":\#(sections)"#
                + more + "}")
    }

    /// Every option that sections may also have, as JSON and as options.
    private static let allOptions = [
        #""itemSize":{"width":1,"height":2}"#,
        #""sectionInset":{"top":1,"left":2,"bottom":3,"right":-4}"#,
        #""minimumInteritemSpacing":5,"minimumLineSpacing":6.5"#,
        #""headerReferenceSize":{"width":7,"height":8}"#,
        #""footerReferenceSize":{"width":9,"height":10}"#,
        #""sectionHeadersPinToVisibleBounds":true,"sectionFootersPinToVisibleBounds":false"#,
        #""alignment":"trailing","lineAlignment":"top","sectionInsetReference":"safeArea""#,
        #""minColumnWidth":11,"cellHeight":12,"fit":"gutter""#,
        #""columnCount":3,"minimumColumnSpacing":13,"headerHeight":14,"footerHeight":15"#,
        #""headerInset":{"left":16},"footerInset":{"right":17}"#,
        #""sizing":"absolute","itemRenderDirection":"rightToLeft""#,
        #""supplementaries":[\#(badge),{"kind":"rule","scope":"section","edge":"after","size":{}}]"#,
        #""decorations":[{"kind":"card","inset":{"top":-8},"zIndex":-3},{"kind":"sheet"},"#
            + #"{"kind":"wall","cover":"content"},{"kind":"box","cover":"section"}]"#,
    ].joined(separator: ",")

    private static let badge =
        #"{"kind":"badge","scope":"item","edge":"topTrailing","size":{"width":18,"height":19},"#
        + #""offset":{"x":-4,"y":4.5},"zIndex":1}"#

    private var allOptions: LayoutOptions {
        var options = LayoutOptions()
        options.itemSize = size(1, 2)
        options.sectionInset = Insets(top: 1, left: 2, bottom: 3, right: -4)
        options.minimumInteritemSpacing = 5
        options.minimumLineSpacing = 6.5
        options.headerReferenceSize = size(7, 8)
        options.footerReferenceSize = size(9, 10)
        options.sectionHeadersPinToVisibleBounds = true
        options.sectionFootersPinToVisibleBounds = false
        options.alignment = .trailing
        options.lineAlignment = .top
        options.sectionInsetReference = .safeArea
        options.minColumnWidth = 11
        options.cellHeight = 12
        options.fit = .gutter
        options.columnCount = 3
        options.minimumColumnSpacing = 13
        options.headerHeight = 14
        options.footerHeight = 15
        options.headerInset = Insets(left: 16)
        options.footerInset = Insets(right: 17)
        options.sizing = .absolute
        options.itemRenderDirection = .rightToLeft
        options.supplementaries = [
            CustomSupplementary(
                kind: "badge", place: .atItem(.topTrailing), size: size(18, 19),
                offset: ListPoint(x: -4, y: 4.5), zIndex: 1),
            CustomSupplementary(kind: "rule", place: .afterItems, size: size(0, 0)),
        ]
        options.decorations = [
            Decoration(kind: "card", inset: Insets(top: -8), zIndex: -3),
            Decoration(kind: "sheet"), Decoration(kind: "wall", cover: .content),
            Decoration(kind: "box", cover: .section),
        ]
        return options
    }

    // MARK: The layout

    @Test func `every option of a layout`() throws {
        let layout =
            #"{"kind":"waterfall","scrollDirection":"horizontal","rtl":true,"zoomFactor":0.5,"#
            + #""activeDistance":90,"minimumContentHeight":1000,"# + Self.allOptions + "}"
        var spec = LayoutSpec(kind: .waterfall)
        spec.scrollDirection = .horizontal
        spec.rtl = true
        spec.zoomFactor = 0.5
        spec.activeDistance = 90
        spec.minimumContentHeight = 1000
        spec.options = allOptions
        #expect(try input(layout: layout).spec == spec)
    }

    /// A client that changes the kind can leave the other options as they are.
    @Test(arguments: LayoutSpec.Kind.allCases)
    func `every kind takes the options of all`(kind: LayoutSpec.Kind) throws {
        let layout = #"{"kind":"\#(kind.rawValue)","zoomFactor":1,"# + Self.allOptions + "}"
        #expect(try input(layout: layout).spec.options == allOptions)
        let plain = #"{"kind":"\#(kind.rawValue)"}"#
        #expect(try input(layout: plain).spec == LayoutSpec(kind: kind))
    }

    @Test func `every option of a section`() throws {
        let read = try input(sections: "[{\"count\":2},{\(Self.allOptions),\"count\":3}]")
        #expect(
            read.sections == [
                SectionInput(items: .count(2)), SectionInput(items: .count(3), options: allOptions),
            ])
        #expect(read.spec.options == LayoutOptions())
    }

    @Test func `every word of every enumeration`() throws {
        func words<Word: CaseIterable & RawRepresentable & Equatable>(
            _ key: String, of path: KeyPath<LayoutSpec, Word?>
        ) throws where Word.RawValue == String {
            for word in Word.allCases {
                let layout = #"{"kind":"flow","\#(key)":"\#(word.rawValue)"}"#
                #expect(try input(layout: layout).spec[keyPath: path] == word)
            }
        }
        try words("scrollDirection", of: \.scrollDirection)
        try words("alignment", of: \.options.alignment)
        try words("lineAlignment", of: \.options.lineAlignment)
        try words("sectionInsetReference", of: \.options.sectionInsetReference)
        try words("fit", of: \.options.fit)
        try words("sizing", of: \.options.sizing)
        try words("itemRenderDirection", of: \.options.itemRenderDirection)
    }

    @Test func `every place of a supplementary`() throws {
        func place(_ scope: String, _ edge: String) throws -> CustomSupplementary.Place? {
            // The edge is before the scope that gives it a meaning.
            let list = #"[{"edge":"\#(edge)","scope":"\#(scope)","kind":"k","size":{}}]"#
            let spec = try input(layout: #"{"kind":"flow","supplementaries":\#(list)}"#).spec
            return spec.options.supplementaries?.first?.place
        }
        #expect(try place("section", "before") == .beforeItems)
        #expect(try place("section", "after") == .afterItems)
        for corner in CustomSupplementary.Corner.allCases {
            #expect(try place("item", corner.rawValue) == .atItem(corner))
        }
    }

    @Test(arguments: [("0", 0), ("-7", -7), ("2.0", 2), ("1e15", 1_000_000_000_000_000)])
    func `column counts are whole numbers`(token: String, count: Int) throws {
        let layout = #"{"kind":"waterfall","columnCount":\#(token)}"#
        #expect(try input(layout: layout).spec.options.columnCount == count)
    }

    // MARK: Environment and questions

    @Test func `surroundings and questions`() throws {
        let line =
            #"{"layout":{"kind":"flow"},"bounds":{"x":-5,"y":60.5,"width":320,"height":480},"#
            + #""contentInset":{"top":1},"safeArea":{"left":2},"layoutMargins":{"right":3},"#
            + #""pixelScale":3,"sections":[],"rect":{"x":1,"y":2,"width":3,"height":4},"#
            + #""point":{"x":5,"y":6},"previous":{"section":7,"item":8},"#
            + #""proposedOffset":{"x":9,"y":-10}}"# + "\r\n"
        var input = LayoutInput(
            spec: LayoutSpec(kind: .flow),
            environment: LayoutEnvironment(
                viewport: size(320, 480), contentInset: Insets(top: 1), safeArea: Insets(left: 2),
                layoutMargins: Insets(right: 3), pixelScale: 3),
            bounds: ListRect(x: -5, y: 60.5, width: 320, height: 480))
        input.rect = ListRect(x: 1, y: 2, width: 3, height: 4)
        input.point = ListPoint(x: 5, y: 6)
        input.previous = ItemPath(section: 7, item: 8)
        input.proposedOffset = ListPoint(x: 9, y: -10)
        #expect(try readLayout(line) == input)
    }

    @Test func `what is not said is 0 or nothing`() throws {
        let plain = try readLayout(#"{"bounds":{},"layout":{"kind":"circle"}}"#)
        let expected = LayoutInput(
            spec: LayoutSpec(kind: .circle), environment: LayoutEnvironment(viewport: size(0, 0)),
            bounds: ListRect())
        #expect(plain == expected)
        let nulls = #","rect":null,"point":null,"previous":null,"proposedOffset":null"#
        #expect(try input(more: nulls) == input())
        let partial = try input(more: #","rect":{"height":4},"point":{"y":2}"#)
        #expect(partial.rect == ListRect(height: 4))
        #expect(partial.point == ListPoint(y: 2))
        let inset = try input(layout: #"{"kind":"flow","sectionInset":{"bottom":2}}"#)
        #expect(inset.spec.options.sectionInset == Insets(bottom: 2))
    }

    // MARK: Sections

    @Test func `items have sizes, names, both or neither`() throws {
        let items =
            #"[{"width":80,"height":40},{},null,{"id":"a"},{"size":{"width":3,"height":4},"id":"b"},"#
            + #"{"height":5},{"size":null},{"width":-1,"height":1e300}]"#
        let read = try input(sections: #"[{"count":1},{"items":\#(items)}]"#)
        let sizes = [
            size(80, 40), nil, nil, nil, size(3, 4), size(0, 5), nil, size(-1, 1e300),
        ]
        #expect(read.sections.map(\.items) == [.count(1), .sizes(sizes)])
        #expect(
            read.names == [
                ItemPath(section: 1, item: 3): Identifier("a"),
                ItemPath(section: 1, item: 4): Identifier("b"),
            ])
    }

    @Test func `a section may have any number of items, or none`() throws {
        let read = try input(sections: #"[{"count":1000000000},{"items":[]},{},{"count":0}]"#)
        #expect(
            read.sections.map(\.items) == [.count(1_000_000_000), .sizes([]), .count(0), .count(0)])
    }
}
