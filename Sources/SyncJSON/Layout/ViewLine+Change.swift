package import SyncLayout
package import SyncModel

extension ViewLine {
    /// The line for a change on the screen of a view.
    ///
    /// # Performance
    /// O(n) for n elements and the bytes of what they show, each thing once.
    package init(_ change: ViewChange, of view: Identifier) {
        // All elements of a thing show the same, before and now.
        var isNew: [ViewThing: Bool] = [:]
        func newContent(_ changed: ViewChange.Changed) -> ViewContent? {
            let content = changed.to.content
            let isKnownNew = isNew[content.thing] ?? (changed.newContent != nil)
            isNew[content.thing] = isKnownNew
            return isKnownNew ? content : nil
        }
        self.init(
            view: view.text, revision: change.revision, contentSize: change.contentSize,
            offset: change.shift.map { _ in change.bounds.origin },
            isTransition: change.isTransition, hasMore: change.hasMore,
            appeared: change.appeared.map {
                Entry(from: $0.initial, to: $0.to.element, of: $0.to, content: $0.to.content)
            },
            changed: change.changed.map {
                Entry(from: $0.from.element, to: $0.to.element, of: $0.to, content: newContent($0))
            },
            disappeared: change.disappeared.map {
                Entry(from: $0.from.element, to: $0.final, of: $0.from, content: nil)
            })
    }
}

extension ViewLine.Entry {
    fileprivate init(
        from: LayoutElement, to: LayoutElement, of shown: ViewElement, content: ViewContent?
    ) {
        self.init(from: from, to: to)
        id = shown.content.thing.id
        switch content {
        case .item(let item): self.content = .item(item)
        case .section(let section): self.content = .section(section)
        case nil: break
        }
    }
}
