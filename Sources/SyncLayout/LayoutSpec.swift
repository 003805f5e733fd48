package import SyncEngine

/// A layout as a client asks for it: its kind and what is set of it.
package struct LayoutSpec: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case flow, columnFlow, line, circle, mosaic, waterfall
    }

    package enum ScrollDirection: String, Sendable, CaseIterable {
        case vertical, horizontal
    }

    package var kind: Kind
    /// What may also differ section by section.
    package var options = LayoutOptions()

    // What is the same for all sections.

    /// Of flow; `nil` for the layout's own: horizontal for line, vertical for all others.
    package var scrollDirection: ScrollDirection?
    /// Whether x runs from right to left.
    package var rtl = false
    /// Of line.
    package var zoomFactor: Double?
    /// Of line.
    package var activeDistance: Double?
    /// Of waterfall.
    package var minimumContentHeight: Double?

    package init(kind: Kind) {
        self.kind = kind
    }
}

/// What a collection is laid out in. The offset of a viewport is no part of it.
package struct LayoutEnvironment: Sendable, Hashable {
    /// The size of the viewport.
    package var viewport: Size
    package var contentInset: Insets
    package var safeArea: Insets
    package var layoutMargins: Insets
    /// Pixels a point; without it nothing is rounded.
    package var pixelScale: Double?

    package init(
        viewport: Size, contentInset: Insets = Insets(), safeArea: Insets = Insets(),
        layoutMargins: Insets = Insets(), pixelScale: Double? = nil
    ) {
        self.viewport = viewport
        self.contentInset = contentInset
        self.safeArea = safeArea
        self.layoutMargins = layoutMargins
        self.pixelScale = pixelScale
    }
}

/// A section that is to be laid out.
package struct SectionInput: Sendable, Hashable {
    package enum Items: Sendable, Hashable {
        /// So many items of the layout's own size.
        case count(Int)
        /// Items with sizes of their own; `nil` for those that have none.
        case sizes([Size?])
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
