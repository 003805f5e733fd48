import SyncLayout
import SyncModel
import SyncPicture

/// The texts on the elements of a room.
struct RoomTitles {
    let sections: [Snapshot.SectionState]
    let field: TitleField

    func text(on element: LayoutElement.Identity) -> String {
        switch element {
        case .cell(let path):
            section(path.section)?.items[safely: path.item].map(field.title(of:)) ?? ""
        case .supplementary(let kind, let index):
            section(index).map { title(of: kind, in: $0) } ?? kind.text
        case .itemSupplementary(let kind, _), .decoration(let kind, _): kind.text
        }
    }

    /// A footer without a title shows the number of items.
    private func title(of kind: Identifier, in state: Snapshot.SectionState) -> String {
        if let title = field.title(of: kind, in: state.section) { return title }
        guard kind == LayoutElement.footer else { return kind.text }
        return counted(state.items.count, "item")
    }

    private func section(_ index: Int) -> Snapshot.SectionState? { sections[safely: index] }
}

extension Array {
    fileprivate subscript(safely index: Int) -> Element? {
        indices.contains(index) ? self[index] : nil
    }
}
