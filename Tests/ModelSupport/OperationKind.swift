package import SyncModel

/// The kinds of operations, so that no generator leaves one out. A new operation does not compile
/// here without a kind, and a new kind does not compile in the generators.
package enum OperationKind: CaseIterable, Sendable {
    case insert, delete, move, update, increment
    case insertSection, deleteSection, moveSection, updateSection

    package init(_ operation: ListOperation) {
        self =
            switch operation.unguarded {
            case .insert: .insert
            case .delete: .delete
            case .move: .move
            case .update: .update
            case .increment: .increment
            case .insertSection: .insertSection
            case .deleteSection: .deleteSection
            case .moveSection: .moveSection
            case .updateSection, .guarded: .updateSection
            }
    }
}
