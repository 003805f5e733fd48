package import SyncLayout

/// The kinds of elements of a layout; see ``OperationKind``.
package enum ElementKind: CaseIterable, Sendable {
    case cell, supplementary, itemSupplementary, decoration

    package init(_ identity: LayoutElement.Identity) {
        self =
            switch identity {
            case .cell: .cell
            case .supplementary: .supplementary
            case .itemSupplementary: .itemSupplementary
            case .decoration: .decoration
            }
    }
}
