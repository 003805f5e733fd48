import SyncLayout
import SyncModel

/// What an element is, wherever it stands and whatever connection it came over: a part of an item or
/// of a section.
struct ElementPart: Hashable {
    private enum Category: Hashable {
        case cell, supplementary, itemSupplementary, decoration
    }

    private let category: Category
    /// Of supplementaries and decorations.
    private let kind: String
    /// The item, or the section.
    private let thing: Identifier

    /// Each of some elements with what it is; `nil` where that can't be told: the supplementary of an
    /// item whose cell is not among them.
    static func parts(of elements: [ViewElement]) -> [ElementPart?] {
        var items: [ItemPath: Identifier] = [:]
        for element in elements {
            guard case .cell(let path) = element.element.identity,
                case .item(let item) = element.content
            else { continue }
            items[path] = item.id
        }
        return elements.map { element in
            let thing: Identifier? =
                switch (element.content, element.element.identity) {
                case (.item(let item), _): item.id
                case (.section(let section), _): section.id
                case (nil, .itemSupplementary(_, let path)): items[path]
                case (nil, _): nil
                }
            return thing.map { ElementPart(element.element.identity, of: $0) }
        }
    }

    private init(_ identity: LayoutElement.Identity, of thing: Identifier) {
        self.thing = thing
        switch identity {
        case .cell: (category, kind) = (.cell, "")
        case .supplementary(let kind, _): (category, self.kind) = (.supplementary, kind)
        case .itemSupplementary(let kind, _): (category, self.kind) = (.itemSupplementary, kind)
        case .decoration(let kind, _): (category, self.kind) = (.decoration, kind)
        }
    }
}
