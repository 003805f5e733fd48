import SyncLayout
import SyncModel

/// Identifies an element across positions and connections, as a part of an item or of a section.
struct ElementPart: Hashable {
    private enum Category: Hashable {
        case cell, supplementary, itemSupplementary, decoration
    }

    private let category: Category
    /// Of supplementaries and decorations.
    private let kind: Identifier?
    /// The item, or the section.
    private let thing: Identifier

    init(_ shown: ViewElement) {
        thing = shown.content.thing.id
        switch shown.element.identity {
        case .cell: (category, kind) = (.cell, nil)
        case .supplementary(let kind, _): (category, self.kind) = (.supplementary, kind)
        case .itemSupplementary(let kind, _): (category, self.kind) = (.itemSupplementary, kind)
        case .decoration(let kind, _): (category, self.kind) = (.decoration, kind)
        }
    }
}
