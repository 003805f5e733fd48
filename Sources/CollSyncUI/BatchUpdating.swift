public import Foundation

/// A view that shows sections of items and applies their changes in batches. Its methods are those
/// of UIKit's collection view, so an app only declares
///
///     extension UICollectionView: @retroactive BatchUpdating {}
///
/// `CollectionList.apply(_:to:completion:)` calls it. In ``performBatchUpdates(_:completion:)`` a
/// view asks its data source how many sections and items there are, calls the updates, and asks
/// again. Indices count from 0.
@MainActor public protocol BatchUpdating: AnyObject {
    /// Shows all sections and items anew, as the data source has them.
    func reloadData()

    /// Calls the updates before it returns, and shows all their changes as one.
    ///
    /// - Parameters:
    ///   - updates: calls the other methods, and changes what the data source answers.
    ///   - completion: called when the changes are shown; `true` if nothing interrupted that.
    func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)?)

    /// There are new sections, at these indices after the update. They are empty: items follow by
    /// ``insertItems(at:)``.
    func insertSections(_ sections: IndexSet)
    /// Sections at these indices before the update were deleted, with the items in them.
    func deleteSections(_ sections: IndexSet)
    /// The own content of sections at these indices before the update changed: they are shown anew
    /// with their items.
    func reloadSections(_ sections: IndexSet)
    /// A section moved from an index before the update to one after it.
    func moveSection(_ section: Int, toSection newSection: Int)

    /// There are new items, at these paths after the update.
    func insertItems(at indexPaths: [IndexPath])
    /// Items at these paths before the update were deleted.
    func deleteItems(at indexPaths: [IndexPath])
    /// The content of items at these paths before the update changed, and each gets another cell.
    func reloadItems(at indexPaths: [IndexPath])
    /// The content of items at these paths changed, and each keeps its cell, which the data source
    /// configures anew. Nothing else changes in the update, except contents. Without a method of
    /// its own a view reloads the items.
    func reconfigureItems(at indexPaths: [IndexPath])
    /// An item moved from a path before the update to one after it.
    func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath)

    /// Calls the actions before it returns, and shows their changes at once. Without a method of
    /// its own a view shows them as usual.
    static func performWithoutAnimation(_ actions: () -> Void)
}

extension BatchUpdating {
    /// Reloads the items.
    public func reconfigureItems(at indexPaths: [IndexPath]) { reloadItems(at: indexPaths) }

    /// Calls the actions.
    public static func performWithoutAnimation(_ actions: () -> Void) { actions() }
}
