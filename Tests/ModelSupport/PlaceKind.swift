package import SyncLayout

/// The kinds of places of supplementaries; see ``OperationKind``.
package enum PlaceKind: CaseIterable, Sendable {
    case beforeItems, afterItems, atItem

    package init(_ place: CustomSupplementary.Place) {
        self =
            switch place {
            case .beforeItems: .beforeItems
            case .afterItems: .afterItems
            case .atItem: .atItem
            }
    }
}
