public import SyncModel

/// A layout as a client asks for it: its kind and what is set of it.
public struct LayoutSpec: Sendable, Hashable {
    /// Which layout.
    public enum Kind: String, Sendable, CaseIterable {
        /// The layouts that there are, by the names they have everywhere.
        case flow, columnFlow, line, circle, mosaic, waterfall
    }

    /// Along which axis the content is scrolled.
    public enum ScrollDirection: String, Sendable, CaseIterable {
        /// Down, or to the side.
        case vertical, horizontal
    }

    /// Which layout.
    public var kind: Kind
    /// What may also differ section by section.
    public var options = LayoutOptions()

    // What is the same for all sections.

    /// Of flow; `nil` for the layout's own: horizontal for line, vertical for all others.
    public var scrollDirection: ScrollDirection?
    /// Whether x runs from right to left.
    public var rtl = false
    /// Of line: by how much the item in the middle is larger.
    public var zoomFactor: Double?
    /// Of line: how far from the middle items begin to grow.
    public var activeDistance: Double?
    /// Of waterfall: the least height of the content.
    public var minimumContentHeight: Double?

    /// Makes a layout in which nothing is set.
    public init(kind: Kind) {
        self.kind = kind
    }
}

/// What a collection is laid out in. The offset of a viewport is no part of it.
public struct LayoutEnvironment: Sendable, Hashable {
    /// The size of the viewport.
    public var viewport: ListSize
    /// What is left free at the sides of the content.
    public var contentInset: Insets
    /// What other things cover at the sides.
    public var safeArea: Insets
    /// What is to be left free at the sides; `nil` for the layout's own, which is nothing but in column
    /// flow.
    public var layoutMargins: Insets?
    /// Pixels a point; without it nothing is rounded.
    public var pixelScale: Double?

    /// Makes surroundings; without more, of nothing.
    public init(
        viewport: ListSize, contentInset: Insets = Insets(), safeArea: Insets = Insets(),
        layoutMargins: Insets? = nil, pixelScale: Double? = nil
    ) {
        self.viewport = viewport
        self.contentInset = contentInset
        self.safeArea = safeArea
        self.layoutMargins = layoutMargins
        self.pixelScale = pixelScale
    }

    /// Nothing around the content, and a viewport without any size.
    public static let plain = LayoutEnvironment(viewport: ListSize(width: 0, height: 0))
}

/// A section that is to be laid out.
package struct SectionInput: Sendable, Hashable {
    package enum Items: Sendable, Hashable {
        /// So many items of the layout's own size.
        case count(Int)
        /// Items with sizes of their own; `nil` for those that have none.
        case sizes([ListSize?])
    }

    /// What differs from the collection's options.
    package var options: LayoutOptions
    package var items: Items

    package init(items: Items, options: LayoutOptions = LayoutOptions()) {
        self.items = items
        self.options = options
    }

    package var count: Int {
        switch items {
        case .count(let count): count
        case .sizes(let sizes): sizes.count
        }
    }
}
