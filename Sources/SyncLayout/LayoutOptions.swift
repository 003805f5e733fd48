public import SyncModel

/// The options of a layout, and of a section of it.
///
/// An option that is `nil` has the layout's own default; in the options of a section, it has the
/// value of the whole collection. The names are UIKit's where UIKit has the option. Lengths are in
/// points; one that is negative or not finite counts as 0. Insets and offsets may be negative.
///
///     var options = LayoutOptions()
///     options.itemSize = ListSize(width: 80, height: 80)
///     options.sectionInset = Insets(top: 10, left: 10, bottom: 10, right: 10)
///     options.headerReferenceSize = ListSize(width: 0, height: 30)
///     options.sectionHeadersPinToVisibleBounds = true
///     options.decorations = [Decoration(kind: "ground")]
///     spec.options = options
public struct LayoutOptions: Sendable, Hashable {
    /// How the items of a line share the room that is left in it.
    public enum Alignment: String, Sendable, CaseIterable {
        /// Spread, so that the last item ends at the line's end; the last line of items of
        /// different sizes is not spread. In `line`, in the middle of it.
        case justify
        /// At the beginning of the line.
        case leading
        /// In the middle of the line.
        case center
        /// At the end of the line.
        case trailing
    }

    /// Where an item is placed that is shorter, along the scroll axis, than the longest item of its
    /// line.
    public enum LineAlignment: String, Sendable, CaseIterable {
        /// In the middle of the line.
        case center
        /// At the edge where the line begins.
        case top
    }

    /// Which of the three insets of a ``LayoutEnvironment`` lines keep clear of.
    public enum InsetReference: String, Sendable, CaseIterable {
        /// ``LayoutEnvironment/contentInset``.
        case contentInset
        /// ``LayoutEnvironment/safeArea``.
        case safeArea
        /// ``LayoutEnvironment/layoutMargins``.
        case layoutMargins
    }

    /// How `columnFlow` counts its columns.
    public enum ColumnFit: String, Sendable, CaseIterable {
        /// By the columns alone: the gutters between them may leave room for fewer.
        case plain
        /// By the columns and the gutters between them.
        case gutter
    }

    /// How high an item is in a column of a `waterfall`.
    public enum Sizing: String, Sendable, CaseIterable {
        /// As high as its proportions make it at the column's width.
        case proportional
        /// As high as the item's size says.
        case absolute
    }

    /// Which column of a `waterfall` the next item goes to.
    public enum RenderDirection: String, Sendable, CaseIterable {
        /// The one that is shortest; of several, the leftmost.
        case shortestFirst
        /// One after the other, from the left.
        case leftToRight
        /// One after the other, from the right.
        case rightToLeft
    }

    // All layouts.
    /// The size of items that have none of their own, and of all items of a `circle`; by default 50
    /// × 50, in `line` 200 × 200, in `circle` 70 × 70. `columnFlow` and `mosaic` do not use it.
    public var itemSize: ListSize?
    /// The room around a section's items; not used by `circle`. The default is 0, but at the top of
    /// a `columnFlow` ``minimumInteritemSpacing``.
    public var sectionInset: Insets?
    /// Views of custom kinds beside the items; by default none.
    public var supplementaries: [CustomSupplementary]?
    /// Backgrounds of each section, or of the content; by default none.
    public var decorations: [Decoration]?

    // Flow, and the options that waterfall shares with it.
    /// The least distance between items of a line and, in `waterfall`, the distance between items
    /// of a column; by default 10.
    public var minimumInteritemSpacing: Double?
    /// The distance between lines of `flow`, `columnFlow` and `line`; by default 10, in `line` 50.
    public var minimumLineSpacing: Double?
    /// A header's size in `flow`, `columnFlow` and `line`, of which only the length along the
    /// scroll axis counts. With 0, the default, there is no header.
    public var headerReferenceSize: ListSize?
    /// A footer's size in `flow`, `columnFlow` and `line`, of which only the length along the
    /// scroll axis counts. With 0, the default, there is no footer.
    public var footerReferenceSize: ListSize?
    /// Whether headers stay on the screen as long as their sections are there; by default they do
    /// not.
    public var sectionHeadersPinToVisibleBounds: Bool?
    /// Whether footers stay on the screen as long as their sections are there; by default they do
    /// not.
    public var sectionFootersPinToVisibleBounds: Bool?
    /// How items share the room that is left in their line; by default ``Alignment/justify``.
    public var alignment: Alignment?
    /// Where shorter items are placed in their line; by default ``LineAlignment/center``.
    public var lineAlignment: LineAlignment?
    /// Which insets lines keep clear of; by default ``InsetReference/contentInset``, in
    /// `columnFlow` ``InsetReference/safeArea``.
    public var sectionInsetReference: InsetReference?

    // Column flow.
    /// The least width of a column; by default 300.
    public var minColumnWidth: Double?
    /// The height of all cells; by default 70.
    public var cellHeight: Double?
    /// How columns are counted; by default ``ColumnFit/plain``.
    public var fit: ColumnFit?

    // Waterfall.
    /// How many columns there are; by default 2. Less than 1 counts as 1, and more than 1,024 are
    /// refused.
    public var columnCount: Int?
    /// The distance between columns; by default 10.
    public var minimumColumnSpacing: Double?
    /// How high headers are. With 0, the default, there is no header.
    public var headerHeight: Double?
    /// How high footers are. With 0, the default, there is no footer.
    public var footerHeight: Double?
    /// The room around each header; by default 0.
    public var headerInset: Insets?
    /// The room around each footer; by default 0.
    public var footerInset: Insets?
    /// How high items are; by default ``Sizing/proportional``.
    public var sizing: Sizing?
    /// Which column the next item goes to; by default ``RenderDirection/shortestFirst``.
    public var itemRenderDirection: RenderDirection?

    /// Makes options with all defaults.
    public init() {}
}

extension LayoutOptions {
    /// These options; those that are not set come from `other`.
    package func over(_ other: LayoutOptions) -> LayoutOptions {
        var merged = other
        if let itemSize { merged.itemSize = itemSize }
        if let sectionInset { merged.sectionInset = sectionInset }
        if let supplementaries { merged.supplementaries = supplementaries }
        if let decorations { merged.decorations = decorations }
        if let minimumInteritemSpacing { merged.minimumInteritemSpacing = minimumInteritemSpacing }
        if let minimumLineSpacing { merged.minimumLineSpacing = minimumLineSpacing }
        if let headerReferenceSize { merged.headerReferenceSize = headerReferenceSize }
        if let footerReferenceSize { merged.footerReferenceSize = footerReferenceSize }
        if let sectionHeadersPinToVisibleBounds {
            merged.sectionHeadersPinToVisibleBounds = sectionHeadersPinToVisibleBounds
        }
        if let sectionFootersPinToVisibleBounds {
            merged.sectionFootersPinToVisibleBounds = sectionFootersPinToVisibleBounds
        }
        if let alignment { merged.alignment = alignment }
        if let lineAlignment { merged.lineAlignment = lineAlignment }
        if let sectionInsetReference { merged.sectionInsetReference = sectionInsetReference }
        if let minColumnWidth { merged.minColumnWidth = minColumnWidth }
        if let cellHeight { merged.cellHeight = cellHeight }
        if let fit { merged.fit = fit }
        if let columnCount { merged.columnCount = columnCount }
        if let minimumColumnSpacing { merged.minimumColumnSpacing = minimumColumnSpacing }
        if let headerHeight { merged.headerHeight = headerHeight }
        if let footerHeight { merged.footerHeight = footerHeight }
        if let headerInset { merged.headerInset = headerInset }
        if let footerInset { merged.footerInset = footerInset }
        if let sizing { merged.sizing = sizing }
        if let itemRenderDirection { merged.itemRenderDirection = itemRenderDirection }
        return merged
    }
}

/// A view of a custom kind beside a section's items, or at each item.
public struct CustomSupplementary: Sendable, Hashable {
    /// Where a supplementary is placed.
    public enum Place: Sendable, Hashable {
        /// One for each section, between its header and its items.
        case beforeItems
        /// One for each section, between its items and its footer.
        case afterItems
        /// One for each item, with its centre at a point of the item's frame.
        case atItem(Corner)
    }

    /// One of nine points of a frame, named row by row; leading is left.
    public enum Corner: String, Sendable, CaseIterable {
        /// The left end of the top edge.
        case topLeading
        /// The middle of the top edge.
        case top
        /// The right end of the top edge.
        case topTrailing
        /// The middle of the left edge.
        case leading
        /// The middle of the frame.
        case center
        /// The middle of the right edge.
        case trailing
        /// The left end of the bottom edge.
        case bottomLeading
        /// The middle of the bottom edge.
        case bottom
        /// The right end of the bottom edge.
        case bottomTrailing
    }

    /// The name of the kind.
    public var kind: Identifier
    /// Where it is placed.
    public var place: Place
    /// Its size in points. Beside a section's items, only the length along the scroll axis counts:
    /// the supplementary is as long across as the content, and with 0 there is none.
    public var size: ListSize
    /// How far it is moved from its place, in points. What follows it does not move.
    public var offset: ListPoint
    /// Its place in the drawing order: an element with a higher number is drawn over one with a
    /// lower number.
    public var zIndex: Int

    /// Makes a supplementary.
    public init(
        kind: Identifier, place: Place, size: ListSize, offset: ListPoint = ListPoint(),
        zIndex: Int = 0
    ) {
        self.kind = kind
        self.place = place
        self.size = size
        self.offset = offset
        self.zIndex = zIndex
    }
}

/// A background.
public struct Decoration: Sendable, Hashable {
    /// What a decoration covers. In a `circle`, each covers the content.
    public enum Cover: String, Sendable, CaseIterable {
        /// The section's items, with its ``LayoutOptions/sectionInset``.
        case items
        /// The whole section, with its header, its footer and its supplementaries.
        case section
        /// All of the content. Of the sections that have one of the same kind, only the first one
        /// shows it.
        case content
    }

    /// The name of the kind.
    public var kind: Identifier
    /// What it covers.
    public var cover: Cover
    /// How much smaller it is at each side, in points; negative numbers make it larger.
    public var inset: Insets
    /// Its place in the drawing order: an element with a higher number is drawn over one with a
    /// lower number.
    public var zIndex: Int

    /// Makes a decoration, by default behind the cells.
    public init(
        kind: Identifier, cover: Cover = .items, inset: Insets = Insets(), zIndex: Int = -1
    ) {
        self.kind = kind
        self.cover = cover
        self.inset = inset
        self.zIndex = zIndex
    }
}
