public import SyncModel

/// One thing on the screen and where it is.
public struct LayoutElement: Sendable, Hashable {
    /// What it is, and of which section or item.
    public enum Identity: Sendable, Hashable {
        /// An item.
        case cell(ItemPath)
        /// A header (`kind` "header"), a footer ("footer") or a custom supplementary of a section.
        case supplementary(kind: String, section: Int)
        /// A custom supplementary of an item.
        case itemSupplementary(kind: String, ItemPath)
        /// A background of a section.
        case decoration(kind: String, section: Int)
    }

    /// What it is, and where in the order of things.
    public var identity: Identity
    /// In the content's coordinates, before it is scaled.
    public var frame: ListRect
    /// What is higher lies over what is lower.
    public var zIndex = 0
    /// How opaque it is, from 0 to 1.
    public var alpha = 1.0
    /// By how much it is larger about its centre.
    public var scale = 1.0
    /// Whether it is not to be seen.
    public var isHidden = false

    /// Makes an element that is opaque, not scaled and to be seen.
    public init(_ identity: Identity, frame: ListRect, zIndex: Int = 0) {
        self.identity = identity
        self.frame = frame
        self.zIndex = zIndex
    }

    /// The kind of headers.
    public static let header = "header"
    /// The kind of footers.
    public static let footer = "footer"
}
