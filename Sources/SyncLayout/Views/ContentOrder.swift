import SyncModel

/// The content order of a room's elements in a layout, in which ``CollectionLayout`` lists them.
///
/// An update of a view does not keep it if what is shown comes in several updates.
package struct ContentOrder {
    /// An element's place: its section, its part of the section, and within that.
    private struct Place: Comparable {
        var section: Int
        var part = 0
        var item = 0
        var index = 0

        static func < (left: Place, right: Place) -> Bool {
            (left.section, left.part, left.item, left.index)
                < (right.section, right.part, right.item, right.index)
        }
    }

    // By kind, its number among those of its place. Kinds come from a client, so that finding one
    // must not take longer if there are many.
    private let before: [Identifier: Int]
    private let atItems: [Identifier: Int]
    private let behind: [Identifier: Int]
    private let decorations: [Identifier: Int]

    /// - Parameter spec: the layout; a room's sections have no supplementaries and decorations of
    ///   their own.
    package init(of spec: LayoutSpec) {
        let supplementaries = spec.options.supplementaries ?? []
        before = ContentOrder.numbers(
            supplementaries.filter { $0.place == .beforeItems }.map(\.kind))
        behind = ContentOrder.numbers(
            supplementaries.filter { $0.place == .afterItems }.map(\.kind))
        atItems = ContentOrder.numbers(
            supplementaries.filter { supplementary in
                if case .atItem = supplementary.place { true } else { false }
            }.map(\.kind))
        decorations = ContentOrder.numbers((spec.options.decorations ?? []).map(\.kind))
    }

    /// Of several with the same kind, the first one counts.
    private static func numbers(_ kinds: [Identifier]) -> [Identifier: Int] {
        Dictionary(zip(kinds, 0...)) { first, _ in first }
    }

    /// Sorts elements that are in the order in which they appeared.
    package func sort(_ elements: [ViewElement]) -> [ViewElement] {
        elements.enumerated()
            .map { (place(of: $0.element.element.identity), $0.offset, $0.element) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .map(\.2)
    }

    private func place(of identity: LayoutElement.Identity) -> Place {
        switch identity {
        case .supplementary(LayoutElement.header, let section): Place(section: section)
        case .supplementary(LayoutElement.footer, let section): Place(section: section, part: 4)
        case .supplementary(let kind, let section):
            if let index = before[kind] {
                Place(section: section, part: 1, index: index)
            } else {
                Place(section: section, part: 3, index: behind[kind] ?? 0)
            }
        case .cell(let path): Place(section: path.section, part: 2, item: path.item)
        case .itemSupplementary(let kind, let path):
            Place(
                section: path.section, part: 2, item: path.item,
                index: 1 + (atItems[kind] ?? 0))
        case .decoration(let kind, let section):
            Place(section: section, part: 5, index: decorations[kind] ?? 0)
        }
    }
}
