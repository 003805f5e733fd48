public import Foundation

/// A view that shows sections of items and takes what changes of them in batches, with the very methods of UIKit's
/// collection view. So an app says
///
///     extension UICollectionView: @retroactive BatchUpdating {}
///
/// and no more.
///
/// A view asks its data source how many sections and items there are before it has its updates called, and again
/// behind that.
@MainActor public protocol BatchUpdating: AnyObject {
    /// Shows all anew.
    func reloadData()

    /// Has the updates called, at once, and takes all that they say together.
    func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)?)

    /// Sections came; indices after the update.
    func insertSections(_ sections: IndexSet)
    /// Sections went; indices before the update.
    func deleteSections(_ sections: IndexSet)
    /// What sections hold changed; indices before the update.
    func reloadSections(_ sections: IndexSet)
    /// A section moved: from an index before the update to one after it.
    func moveSection(_ section: Int, toSection newSection: Int)

    /// Items came; paths after the update.
    func insertItems(at indexPaths: [IndexPath])
    /// Items went; paths before the update.
    func deleteItems(at indexPaths: [IndexPath])
    /// What items hold changed; paths before the update.
    func reloadItems(at indexPaths: [IndexPath])
    /// An item moved: from a path before the update to one after it.
    func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath)
}
