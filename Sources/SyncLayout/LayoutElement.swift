package import SyncEngine

/// One thing on the screen and where it is.
package struct LayoutElement: Sendable, Hashable {
    package enum Identity: Sendable, Hashable {
        case cell(ItemPath)
        /// A header (`kind` "header"), a footer ("footer") or a custom supplementary of a section.
        case supplementary(kind: String, section: Int)
        /// A custom supplementary of an item.
        case itemSupplementary(kind: String, ItemPath)
        case decoration(kind: String, section: Int)
    }

    package var identity: Identity
    /// In the content's coordinates, before it is scaled.
    package var frame: Rect
    package var zIndex = 0
    package var alpha = 1.0
    /// By how much it is larger about its centre.
    package var scale = 1.0
    package var isHidden = false

    package init(_ identity: Identity, frame: Rect, zIndex: Int = 0) {
        self.identity = identity
        self.frame = frame
        self.zIndex = zIndex
    }

    package static let header = "header"
    package static let footer = "footer"
}
