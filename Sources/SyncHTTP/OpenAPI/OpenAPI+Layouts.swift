import SyncJSON
import SyncLayout

extension OpenAPI {
    /// The schemas of layouts and of views.
    static var layouts: [JSONTree.Member] {
        [
            .init("Point", shape(numbers("x", "y"))),
            .init("Extent", shape(numbers("width", "height"))),
            .init("Rect", shape(numbers("x", "y", "width", "height"))),
            .init("Screen", shape(numbers("x", "y") + lengths("width", "height"))),
            .init("Insets", shape(numbers("top", "left", "bottom", "right"))),
            .init(
                "Path",
                shape(
                    [.init("section", reference("Count")), .init("item", reference("Count"))],
                    required: ["section", "item"])),
            .init(
                "Level",
                [
                    "type": "integer", "minimum": .integer(lowest), "maximum": .integer(highest),
                ]),
            .init("Supplement", supplement),
            .init(
                "Decoration",
                shape(
                    [
                        .init("kind", reference("Name")),
                        .init("cover", choice(Decoration.Cover.self)),
                        .init("inset", reference("Insets")), .init("zIndex", reference("Level")),
                    ], required: ["kind"])),
            .init("LayoutOptions", shape(specMembers + optionMembers)),
            .init(
                "Layout",
                shape(
                    [.init("kind", choice(LayoutSpec.Kind.self))] + specMembers + optionMembers,
                    required: ["kind"])),
            .init("View", shape([.init("view", view)], required: ["view"])),
            .init("LayoutSection", section),
            .init("LayoutItem", item),
            .init("LayoutLine", shape(surroundings + lineMembers, required: ["layout", "bounds"])),
        ]
    }

    private static let lowest: Int64 = -9_007_199_254_740_992
    private static let highest: Int64 = 9_007_199_254_740_992

    /// An object without other members.
    private static func shape(
        _ members: [JSONTree.Member], required: [String] = []
    ) -> JSONTree {
        [
            "type": "object", "additionalProperties": false,
            "required": .list(required.map { .text($0) }), "properties": .object(members),
        ]
    }

    private static func numbers(_ names: String...) -> [JSONTree.Member] {
        names.map { .init($0, reference("Number")) }
    }

    /// Numbers that are not less than 0.
    private static func lengths(_ names: String...) -> [JSONTree.Member] {
        names.map { .init($0, ["type": "number", "minimum": 0]) }
    }

    private static func choice<Choice>(_: Choice.Type) -> JSONTree
    where Choice: RawRepresentable & CaseIterable, Choice.RawValue == String {
        ["enum": .list(Choice.allCases.map { .text($0.rawValue) })]
    }

    private static func list(of schema: String, most: UInt64) -> JSONTree {
        ["type": "array", "maxItems": .count(most), "items": reference(schema)]
    }

    private static func orNull(_ schema: String) -> JSONTree {
        ["anyOf": [reference(schema), ["type": "null"]]]
    }

    private static var supplement: JSONTree {
        func members(_ scope: JSONTree, _ edge: JSONTree) -> JSONTree {
            shape(
                [
                    .init("kind", reference("Name")), .init("scope", ["const": scope]),
                    .init("edge", edge), .init("size", reference("Extent")),
                    .init("offset", reference("Point")), .init("zIndex", reference("Level")),
                ], required: ["kind", "scope", "edge", "size"])
        }
        return [
            "oneOf": [
                members("section", ["enum": ["before", "after"]]),
                members("item", choice(CustomSupplementary.Corner.self)),
            ]
        ]
    }

    /// What only a whole layout has.
    private static var specMembers: [JSONTree.Member] {
        [
            .init("scrollDirection", choice(LayoutSpec.ScrollDirection.self)),
            .init("rtl", ["type": "boolean"]),
        ] + numbers("zoomFactor", "activeDistance", "minimumContentHeight")
    }

    /// What a section may have, too.
    private static var optionMembers: [JSONTree.Member] {
        numbers(
            "minimumInteritemSpacing", "minimumLineSpacing", "minColumnWidth", "cellHeight",
            "minimumColumnSpacing", "headerHeight", "footerHeight")
            + ["itemSize", "headerReferenceSize", "footerReferenceSize"].map {
                .init($0, reference("Extent"))
            }
            + ["sectionInset", "headerInset", "footerInset"].map { .init($0, reference("Insets")) }
            + ["sectionHeadersPinToVisibleBounds", "sectionFootersPinToVisibleBounds"].map {
                .init($0, ["type": "boolean"])
            }
            + [
                .init("columnCount", reference("Level")),
                .init("alignment", choice(LayoutOptions.Alignment.self)),
                .init("lineAlignment", choice(LayoutOptions.LineAlignment.self)),
                .init("sectionInsetReference", choice(LayoutOptions.InsetReference.self)),
                .init("fit", choice(LayoutOptions.ColumnFit.self)),
                .init("sizing", choice(LayoutOptions.Sizing.self)),
                .init("itemRenderDirection", choice(LayoutOptions.RenderDirection.self)),
                .init("supplementaries", list(of: "Supplement", most: 64)),
                .init("decorations", list(of: "Decoration", most: 64)),
            ]
    }

    /// A layout with what is around it.
    private static var surroundings: [JSONTree.Member] {
        [.init("layout", reference("Layout"))]
            + ["contentInset", "safeArea", "layoutMargins"].map { .init($0, reference("Insets")) }
            + numbers("pixelScale")
    }

    /// What opens a view.
    private static var view: JSONTree {
        shape(
            surroundings + [
                .init("id", reference("Name")), .init("bounds", reference("Screen")),
                .init("snap", ["type": "boolean"]),
                .init("anchor", anchor),
            ] + lengths("overscan"), required: ["id", "layout", "bounds"])
    }

    /// Where a view goes.
    private static var anchor: JSONTree {
        [
            "anyOf": [
                shape(
                    [.init("id", reference("Name")), .init("beginning", ["const": false])]
                        + numbers("x", "y"), required: ["id"]),
                shape([.init("beginning", ["const": true])], required: ["beginning"]),
            ]
        ]
    }

    /// What the line of a layout has beside it.
    private static var lineMembers: [JSONTree.Member] {
        [
            .init("bounds", reference("Rect")),
            .init("sections", list(of: "LayoutSection", most: 100_000)),
            .init("rect", orNull("Rect")), .init("point", orNull("Point")),
            .init("previous", orNull("Path")), .init("proposedOffset", orNull("Point")),
        ]
    }

    private static var section: JSONTree {
        [
            "oneOf": [
                shape([.init("count", reference("Count"))] + optionMembers, required: ["count"]),
                shape([.init("items", list(of: "LayoutItem", most: 100_000))] + optionMembers),
            ]
        ]
    }

    private static var item: JSONTree {
        [
            "anyOf": [
                shape([.init("id", reference("Name"))] + numbers("width", "height")),
                shape([.init("id", reference("Name")), .init("size", reference("Size"))]),
                ["type": "null"],
            ]
        ]
    }
}
