import SyncLayout
import SyncModel

/// The field that has the titles of items and sections.
struct TitleField: Sendable {
    let name: String

    /// The title in the field; `nil` if its value can't be a title.
    func title(_ fields: [Field]) -> String? {
        switch fields.first(where: { $0.name.text == name })?.value {
        case .text(let text) where !text.isEmpty: text
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        default: nil
        }
    }

    /// An item's title, or its id.
    func title(of item: Item) -> String { title(item.content.fields) ?? item.id.text }

    /// A supplementary's own title. A header without one has the section's title or id; other kinds
    /// have `nil`.
    func title(of kind: String, in section: ListSection) -> String? {
        let own = section.content.supplementaries.first { $0.kind.text == kind }
        if let own, let title = title(own.fields) { return title }
        guard kind == LayoutElement.header else { return nil }
        return title(section.content.fields) ?? section.id.text
    }
}

/// The texts on the elements of a room.
struct RoomTitles {
    let sections: [Snapshot.SectionState]
    let field: TitleField

    func text(on element: LayoutElement.Identity) -> String {
        switch element {
        case .cell(let path):
            section(path.section)?.items[safely: path.item].map(field.title(of:)) ?? ""
        case .supplementary(let kind, let index):
            section(index).map { title(of: kind, in: $0) } ?? kind
        case .itemSupplementary(let kind, _), .decoration(let kind, _): kind
        }
    }

    /// A footer without a title shows the number of items.
    private func title(of kind: String, in state: Snapshot.SectionState) -> String {
        if let title = field.title(of: kind, in: state.section) { return title }
        guard kind == LayoutElement.footer else { return kind }
        return counted(state.items.count, "item")
    }

    private func section(_ index: Int) -> Snapshot.SectionState? { sections[safely: index] }
}

extension Array {
    fileprivate subscript(safely index: Int) -> Element? {
        indices.contains(index) ? self[index] : nil
    }
}
