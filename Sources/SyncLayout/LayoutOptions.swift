public import SyncModel

/// What can be set of a layout; `nil` stands for the layout's own default, and in the options of a
/// section for what the whole collection has.
///
/// The names are UIKit's where it has them. Lengths are in points.
public struct LayoutOptions: Sendable, Hashable {
    /// How the items of a line stand in it.
    public enum Alignment: String, Sendable, CaseIterable {
        /// Spread from edge to edge, at the beginning, in the middle, at the end.
        case justify, leading, center, trailing
    }

    /// How items stand across their line, where they are of different lengths.
    public enum LineAlignment: String, Sendable, CaseIterable {
        /// In the middle, or at the edge where the line begins.
        case center, top
    }

    /// What of the surroundings lines keep clear of.
    public enum InsetReference: String, Sendable, CaseIterable {
        /// The three insets of a ``LayoutEnvironment``.
        case contentInset, safeArea, layoutMargins
    }

    /// How columns are counted.
    public enum ColumnFit: String, Sendable, CaseIterable {
        /// Without the gutters between them, or with.
        case plain, gutter
    }

    /// How high an item is in its column.
    public enum Sizing: String, Sendable, CaseIterable {
        /// An item keeps its proportions.
        case proportional
        /// An item keeps its height.
        case absolute
    }

    /// Which column the next item goes to.
    public enum RenderDirection: String, Sendable, CaseIterable {
        /// The one that is shortest, or one after the other.
        case shortestFirst, leftToRight, rightToLeft
    }

    // All layouts.
    /// The size of items that have none.
    public var itemSize: ListSize?
    /// What is left free around a section's items.
    public var sectionInset: Insets?
    /// Views beside the items, of kinds of one's own.
    public var supplementaries: [CustomSupplementary]?
    /// Backgrounds of the section.
    public var decorations: [Decoration]?

    // Flow, and waterfall where it has the same.
    /// The least distance between items of a line; of waterfall, between items of a column.
    public var minimumInteritemSpacing: Double?
    /// The distance between lines.
    public var minimumLineSpacing: Double?
    /// A header's size, of which the length along the scroll axis counts.
    public var headerReferenceSize: ListSize?
    /// A footer's size, of which the length along the scroll axis counts.
    public var footerReferenceSize: ListSize?
    /// Whether headers stay on the screen as long as their sections are there.
    public var sectionHeadersPinToVisibleBounds: Bool?
    /// Whether footers stay on the screen as long as their sections are there.
    public var sectionFootersPinToVisibleBounds: Bool?
    /// How the items of a line stand in it.
    public var alignment: Alignment?
    /// How items stand across their line.
    public var lineAlignment: LineAlignment?
    /// What lines keep clear of.
    public var sectionInsetReference: InsetReference?

    // Column flow.
    /// The least width of a column.
    public var minColumnWidth: Double?
    /// The height of all items.
    public var cellHeight: Double?
    /// How columns are counted.
    public var fit: ColumnFit?

    // Waterfall.
    /// How many columns there are; less than 1 counts as 1.
    public var columnCount: Int?
    /// The distance between columns.
    public var minimumColumnSpacing: Double?
    /// How high headers are.
    public var headerHeight: Double?
    /// How high footers are.
    public var footerHeight: Double?
    /// What is left free around headers.
    public var headerInset: Insets?
    /// What is left free around footers.
    public var footerInset: Insets?
    /// How high items are.
    public var sizing: Sizing?
    /// Which column the next item goes to.
    public var itemRenderDirection: RenderDirection?

    /// Makes options of which none is set.
    public init() {}
}

extension LayoutOptions {
    /// These options, with others where nothing is set.
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

/// A supplementary view of a kind of its own.
public struct CustomSupplementary: Sendable, Hashable {
    /// What it belongs to, and where it stands there.
    public enum Place: Sendable, Hashable {
        /// A block as long as `size` along the scroll axis, after the header.
        case beforeItems
        /// One before the footer.
        case afterItems
        /// One for each item, centred at a point of its frame.
        case atItem(Corner)
    }

    /// One of nine points of a frame.
    public enum Corner: String, Sendable, CaseIterable {
        /// Row by row.
        case topLeading, top, topTrailing
        case leading, center, trailing
        case bottomLeading, bottom, bottomTrailing
    }

    /// The name of the kind.
    public var kind: String
    /// Where it stands.
    public var place: Place
    /// How large it is.
    public var size: ListSize
    /// Moves it from its place.
    public var offset: ListPoint
    /// What is higher lies over what is lower.
    public var zIndex: Int

    /// Makes a supplementary.
    public init(
        kind: String, place: Place, size: ListSize, offset: ListPoint = ListPoint(), zIndex: Int = 0
    ) {
        self.kind = kind
        self.place = place
        self.size = size
        self.offset = offset
        self.zIndex = zIndex
    }
}

/// A background behind a section's items and insets.
public struct Decoration: Sendable, Hashable {
    /// The name of the kind.
    public var kind: String
    /// By how much it is smaller at each side; negative where it is larger.
    public var inset: Insets
    /// What is higher lies over what is lower.
    public var zIndex: Int

    /// Makes a decoration, behind everything if nothing else is said.
    public init(kind: String, inset: Insets = Insets(), zIndex: Int = -1) {
        self.kind = kind
        self.inset = inset
        self.zIndex = zIndex
    }
}
