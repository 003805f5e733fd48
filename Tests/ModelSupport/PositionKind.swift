package import SyncModel

/// The kinds of positions; see ``OperationKind``.
package enum PositionKind: CaseIterable, Sendable {
    case end, after, before, index

    package init(_ position: Position) {
        self =
            switch position {
            case .end: .end
            case .after: .after
            case .before: .before
            case .index: .index
            }
    }
}
