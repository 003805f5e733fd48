import SyncJSON
import Testing

/// Input of `layout` that can't be read: each error names its place.
@Suite struct LayoutErrorTests {
    /// A line with a layout, sections and more keys.
    private static func line(
        layout: String = #""kind":"flow""#, sections: String = "", more: String = ""
    ) -> String {
        #"{"layout":{\#(layout)},"bounds":{"x":0,"width":9},"sections":[\#(sections)]\#(more)}"#
    }

    private static func expect(
        _ path: String, _ words: String, in line: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        guard let error = problem(inLayout: line) else {
            Issue.record("it is read: \(line)", sourceLocation: location)
            return
        }
        #expect(error.path == path, "\(error)", sourceLocation: location)
        #expect(error.message.contains(words), "\(error)", sourceLocation: location)
    }

    @Test func `what must be said`() {
        Self.expect("layout", "missing", in: #"{"bounds":{}}"#)
        Self.expect("bounds", "missing", in: #"{"layout":{"kind":"flow"}}"#)
        Self.expect("layout.kind", "missing", in: #"{"layout":{},"bounds":{}}"#)
        Self.expect("previous.item", "missing", in: Self.line(more: #","previous":{"section":1}"#))
        Self.expect("previous.section", "missing", in: Self.line(more: #","previous":{"item":1}"#))
        for key in ["kind", "scope", "edge", "size"] {
            let members = [
                "kind": #""k""#, "scope": #""item""#, "edge": #""top""#, "size": "{}",
            ].filter { $0.key != key }.map { "\"\($0)\":\($1)" }.joined(separator: ",")
            Self.expect(
                "sections[0].supplementaries[1].\(key)", "missing",
                in: Self.line(
                    sections: #"{"supplementaries":["#
                        + #"{"kind":"k","scope":"item","edge":"top","size":{}},{\#(members)}]}"#))
        }
        Self.expect(
            "layout.decorations[0].kind", "missing",
            in: Self.line(layout: #""kind":"flow","decorations":[{"zIndex":1}]"#))
    }

    @Test(arguments: ["", "x", "[]", "1", "null", "\"flow\"", "{", "{}{}"])
    func `a line that is no object`(text: String) throws {
        #expect(try #require(problem(inLayout: text)).path == "")
    }

    @Test func `keys that have no meaning where they stand`() {
        let unknown = "unknown key"
        Self.expect("colour", unknown, in: Self.line(more: #","colour":1"#))
        Self.expect("layout.colour", unknown, in: Self.line(layout: #""kind":"flow","colour":1"#))
        Self.expect("bounds.top", unknown, in: #"{"layout":{"kind":"flow"},"bounds":{"top":1}}"#)
        Self.expect(
            "sections[1].sectionInset.tp", unknown,
            in: Self.line(sections: #"{},{"sectionInset":{"tp":1}}"#))
        Self.expect(
            "sections[0].items[2].depth", unknown,
            in: Self.line(sections: #"{"items":[{},null,{"width":1,"depth":1}]}"#))
        // These options belong to the layout as a whole.
        for (key, value) in [
            ("kind", #""flow""#), ("scrollDirection", #""vertical""#), ("rtl", "true"),
            ("zoomFactor", "1"), ("activeDistance", "1"), ("minimumContentHeight", "1"),
        ] {
            Self.expect(
                "sections[0].\(key)", unknown, in: Self.line(sections: "{\"\(key)\":\(value)}"))
        }
        Self.expect(
            "layout.decorations[0].edge", unknown,
            in: Self.line(layout: #""kind":"flow","decorations":[{"kind":"k","edge":"top"}]"#))
        Self.expect(
            "layout.decorations[0].cover", "items, section, content",
            in: Self.line(layout: #""kind":"flow","decorations":[{"kind":"k","cover":"all"}]"#))
        Self.expect("point.z", unknown, in: Self.line(more: #","point":{"z":1}"#))
        Self.expect("previous.id", unknown, in: Self.line(more: #","previous":{"id":"a"}"#))
        Self.expect(
            "layout.itemSize.x", unknown,
            in: Self.line(layout: #""kind":"flow","itemSize":{"x":1}"#))
    }

    /// Gives every option a value of a kind that it can't have.
    @Test(arguments: [
        ("a number", "minimumInteritemSpacing", "\"10\""),
        ("a number", "minimumLineSpacing", "null"),
        ("a number", "minColumnWidth", "[]"), ("a number", "cellHeight", "true"),
        ("a number", "minimumColumnSpacing", "{}"), ("a number", "headerHeight", "\"\""),
        ("a number", "footerHeight", "false"), ("an object", "itemSize", "[50,50]"),
        ("an object", "sectionInset", "10"), ("an object", "headerReferenceSize", "40"),
        ("an object", "footerReferenceSize", "null"), ("an object", "headerInset", "\"1\""),
        ("an object", "footerInset", "true"),
        ("true or false", "sectionHeadersPinToVisibleBounds", "1"),
        ("true or false", "sectionFootersPinToVisibleBounds", "\"true\""),
        ("a text", "alignment", "1"), ("a text", "fit", "null"),
        ("justify, leading, center, trailing", "alignment", "\"left\""),
        ("center, top", "lineAlignment", "\"bottom\""),
        ("contentInset, safeArea, layoutMargins", "sectionInsetReference", "\"Safe\""),
        ("plain, gutter", "fit", "\"\""), ("proportional, absolute", "sizing", "\"fixed\""),
        ("shortestFirst, leftToRight, rightToLeft", "itemRenderDirection", "\"shortest\""),
        ("a list", "supplementaries", "{}"), ("a list", "decorations", "null"),
        ("a whole number", "columnCount", "1.5"), ("a whole number", "columnCount", "1e17"),
        ("a number", "columnCount", "\"3\""), ("not exact", "cellHeight", "9007199254740993"),
    ])
    func `options of a wrong kind`(words: String, key: String, value: String) {
        Self.expect(
            "layout.\(key)", words,
            in: Self.line(layout: "\"kind\":\"flow\",\"\(key)\":\(value)"))
        Self.expect(
            "sections[1].\(key)", words, in: Self.line(sections: "{},{\"\(key)\":\(value)}"))
    }

    @Test func `values of a wrong kind elsewhere`() {
        Self.expect(
            "layout.kind", "flow, columnFlow, line", in: Self.line(layout: #""kind":"grid""#))
        Self.expect("layout.rtl", "true or false", in: Self.line(layout: #""kind":"flow","rtl":0"#))
        Self.expect(
            "layout.scrollDirection", "vertical, horizontal",
            in: Self.line(layout: #""kind":"flow","scrollDirection":"up""#))
        Self.expect("bounds.x", "a number", in: #"{"layout":{"kind":"flow"},"bounds":{"x":"0"}}"#)
        Self.expect("bounds", "an object", in: #"{"layout":{"kind":"flow"},"bounds":null}"#)
        Self.expect("pixelScale", "a number", in: Self.line(more: #","pixelScale":null"#))
        Self.expect("safeArea.left", "a number", in: Self.line(more: #","safeArea":{"left":[]}"#))
        Self.expect("previous.item", "whole", in: Self.line(more: #","previous":{"item":-1}"#))
        Self.expect("rect", "an object", in: Self.line(more: #","rect":[0,0,1,1]"#))
        Self.expect("sections[0]", "an object", in: Self.line(sections: "7"))
        Self.expect("sections[0].items", "a list", in: Self.line(sections: #"{"items":7}"#))
        Self.expect(
            "sections[0].items[1]", "an object", in: Self.line(sections: #"{"items":[{},50]}"#))
        Self.expect(
            "sections[0].items[0].id", "a name", in: Self.line(sections: #"{"items":[{"id":""}]}"#))
        for count in ["-1", "1.5", "\"7\"", "null", "1e300", "9007199254740993"] {
            #expect(
                problem(inLayout: Self.line(sections: #"{"count":\#(count)}"#))?.path
                    == "sections[0].count")
        }
    }

    @Test func `supplementaries at places that are none`() {
        func line(_ scope: String, _ edge: String) -> String {
            Self.line(
                layout: #""kind":"flow","supplementaries":["#
                    + #"{"kind":"k","scope":"\#(scope)","edge":"\#(edge)","size":{}}]"#)
        }
        Self.expect(
            "layout.supplementaries[0].edge", "topLeading, top, topTrailing",
            in: line("item", "before"))
        Self.expect(
            "layout.supplementaries[0].edge", "before, after", in: line("section", "top"))
        Self.expect("layout.supplementaries[0].scope", "section, item", in: line("room", "top"))
    }

    @Test func `what excludes each other`() {
        Self.expect(
            "sections[0]", "both items and count",
            in: Self.line(sections: #"{"items":[],"count":0}"#))
        Self.expect(
            "sections[0].items[0]", "both size",
            in: Self.line(sections: #"{"items":[{"width":1,"size":{"width":1,"height":1}}]}"#))
        Self.expect(
            "", "duplicate", in: Self.line(layout: #""kind":"flow","rtl":true,"rtl":true"#))
    }
}
