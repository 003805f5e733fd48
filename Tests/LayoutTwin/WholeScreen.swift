package import SyncLayout
package import SyncModel

/// All that a viewport shows of a room, laid out from scratch. A view's client must end up with the
/// same, however the updates were split.
package struct WholeScreen {
    /// An element with its content.
    package struct Shown: Equatable {
        package var element: LayoutElement
        package var content: ViewContent?

        package init(element: LayoutElement, content: ViewContent?) {
            self.element = element
            self.content = content
        }
    }

    package let contentSize: ListSize
    package let shown: [Shown]

    /// A screen with these elements.
    package init(contentSize: ListSize, shown: [Shown]) {
        self.contentSize = contentSize
        self.shown = shown
    }

    /// Lays a room out.
    package init(of snapshot: Snapshot, in look: Look) throws(LayoutError) {
        let layout = try look.layout(of: snapshot)
        contentSize = layout.contentSize(in: look.bounds)
        shown = try look.elements(of: layout).map { element in
            let content: ViewContent? =
                switch element.identity {
                case .cell(let path), .itemSupplementary(_, let path):
                    .item(snapshot.sections[path.section].items[path.item])
                case .supplementary(_, let section), .decoration(_, let section):
                    .section(snapshot.sections[section].section)
                }
            return Shown(element: element, content: content)
        }
    }

    /// The first difference between a client's screen and this one, for people. All numbers must be
    /// equal to the last digit.
    ///
    /// - Parameter isWhole: whether the client has received everything, so that no element may be
    ///   missing or have old content.
    package func difference(
        from held: some Sequence<Shown>, _ heldSize: ListSize?, isWhole: Bool
    ) -> String? {
        guard contentSize == heldSize else {
            return "the content is \(heldSize as Any), not \(contentSize)"
        }
        var left = shown
        for own in held {
            let index = left.firstIndex { other in
                other.element == own.element && (!isWhole || other.content == own.content)
            }
            guard let index else { return "\(own) is on the screen, not one of\n\(left)" }
            left.remove(at: index)
        }
        if isWhole, !left.isEmpty { return "\(left) are not on the screen" }
        return nil
    }
}
