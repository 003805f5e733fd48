package import SyncEngine

/// What can be set of a layout; `nil` stands for the layout's own default, and in the options of a
/// section for what the whole collection has.
///
/// The names are UIKit's where it has them. Lengths are in points.
package struct LayoutOptions: Sendable, Hashable {
    package enum Alignment: String, Sendable, CaseIterable {
        case justify, leading, center, trailing
    }

    package enum LineAlignment: String, Sendable, CaseIterable {
        case center, top
    }

    package enum InsetReference: String, Sendable, CaseIterable {
        case contentInset, safeArea, layoutMargins
    }

    package enum ColumnFit: String, Sendable, CaseIterable {
        case plain, gutter
    }

    package enum Sizing: String, Sendable, CaseIterable {
        /// An item keeps its proportions.
        case proportional
        /// An item keeps its height.
        case absolute
    }

    package enum RenderDirection: String, Sendable, CaseIterable {
        case shortestFirst, leftToRight, rightToLeft
    }

    // All layouts.
    package var itemSize: Size?
    package var sectionInset: Insets?
    package var supplementaries: [CustomSupplementary]?
    package var decorations: [Decoration]?

    // Flow, and waterfall where it has the same.
    package var minimumInteritemSpacing: Double?
    package var minimumLineSpacing: Double?
    package var headerReferenceSize: Size?
    package var footerReferenceSize: Size?
    package var sectionHeadersPinToVisibleBounds: Bool?
    package var sectionFootersPinToVisibleBounds: Bool?
    package var alignment: Alignment?
    package var lineAlignment: LineAlignment?
    package var sectionInsetReference: InsetReference?

    // Column flow.
    package var minColumnWidth: Double?
    package var cellHeight: Double?
    package var fit: ColumnFit?

    // Waterfall.
    package var columnCount: Int?
    package var minimumColumnSpacing: Double?
    package var headerHeight: Double?
    package var footerHeight: Double?
    package var headerInset: Insets?
    package var footerInset: Insets?
    package var sizing: Sizing?
    package var itemRenderDirection: RenderDirection?

    package init() {}
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
package struct CustomSupplementary: Sendable, Hashable {
    /// What it belongs to, and where it stands there.
    package enum Place: Sendable, Hashable {
        /// A block as long as `size` along the scroll axis, after the header.
        case beforeItems
        /// One before the footer.
        case afterItems
        /// One for each item, centred at a point of its frame.
        case atItem(Corner)
    }

    /// One of nine points of a frame.
    package enum Corner: String, Sendable, CaseIterable {
        case topLeading, top, topTrailing
        case leading, center, trailing
        case bottomLeading, bottom, bottomTrailing
    }

    package var kind: String
    package var place: Place
    package var size: Size
    /// Moves it from its place.
    package var offset: Point
    package var zIndex: Int

    package init(
        kind: String, place: Place, size: Size, offset: Point = Point(), zIndex: Int = 0
    ) {
        self.kind = kind
        self.place = place
        self.size = size
        self.offset = offset
        self.zIndex = zIndex
    }
}

/// A background behind a section's items and insets.
package struct Decoration: Sendable, Hashable {
    package var kind: String
    /// By how much it is smaller at each side; negative where it is larger.
    package var inset: Insets
    package var zIndex: Int

    package init(kind: String, inset: Insets = Insets(), zIndex: Int = -1) {
        self.kind = kind
        self.inset = inset
        self.zIndex = zIndex
    }
}
