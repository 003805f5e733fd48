import SyncLayout
package import SyncModel

/// The field that has the titles of items and sections.
package struct TitleField: Sendable {
    package let name: Identifier

    package init(name: Identifier) {
        self.name = name
    }

    /// The title in the field; `nil` if its value can't be a title.
    package func title(_ fields: [Field]) -> String? {
        switch fields.first(where: { $0.name == name })?.value {
        case .text(let text) where !text.isEmpty: text
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        default: nil
        }
    }

    /// An item's title, or its id.
    package func title(of item: Item) -> String { title(item.content.fields) ?? item.id.text }

    /// A supplementary's own title. A header without one has the section's title or id; other kinds
    /// have `nil`.
    package func title(of kind: Identifier, in section: ListSection) -> String? {
        let own = section.content.supplementaries.first { $0.kind == kind }
        if let own, let title = title(own.fields) { return title }
        guard kind == LayoutElement.header else { return nil }
        return title(section.content.fields) ?? section.id.text
    }
}
