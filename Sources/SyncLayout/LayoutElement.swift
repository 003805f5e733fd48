public import SyncModel

/// One element of a layout: a cell, a supplementary or a decoration, with its frame and how it is
/// drawn.
public struct LayoutElement: Sendable, Hashable {
    /// What an element is, and which section or item it belongs to. Indices count from 0. Kinds are
    /// compared byte by byte.
    public enum Identity: Sendable, Hashable {
        /// The cell of the item at a path.
        case cell(ItemPath)
        /// A section's header (kind ``LayoutElement/header``), footer (``LayoutElement/footer``) or
        /// custom supplementary, by the section's index.
        case supplementary(kind: Identifier, section: Int)
        /// A custom supplementary of the item at a path.
        case itemSupplementary(kind: Identifier, ItemPath)
        /// A background of a section, by the section's index.
        case decoration(kind: Identifier, section: Int)
    }

    /// What it is, and which section or item it belongs to.
    public var identity: Identity
    /// Where it is, in the content's coordinates, before it is scaled.
    public var frame: ListRect
    /// Its place in the drawing order: an element with a higher number is drawn over one with a
    /// lower number.
    public var zIndex = 0
    /// Its opacity, from 0 (invisible) to 1 (opaque).
    public var alpha = 1.0
    /// The factor by which it is drawn larger, about its centre: 1 is its own size.
    public var scale = 1.0
    /// Whether it is not drawn.
    public var isHidden = false

    /// Makes an element that is opaque, not scaled and not hidden.
    public init(_ identity: Identity, frame: ListRect, zIndex: Int = 0) {
        self.identity = identity
        self.frame = frame
        self.zIndex = zIndex
    }

    /// The kind of headers: "header".
    public static let header: Identifier = "header"
    /// The kind of footers: "footer".
    public static let footer: Identifier = "footer"
}
