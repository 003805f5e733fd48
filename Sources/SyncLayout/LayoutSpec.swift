public import SyncModel

/// A layout as a client asks for it: its kind and its options.
///
///     var spec = LayoutSpec(kind: .waterfall)
///     spec.options.columnCount = 3
///     spec.options.headerHeight = 30
///     spec.options.sectionHeadersPinToVisibleBounds = true
///     let view = try await room.openView(spec, bounds: ListRect(width: 320, height: 480))
///
/// Every kind accepts every option, and ignores those that it does not use. `Protocol/layouts.md`
/// says what each kind computes from them.
public struct LayoutSpec: Sendable, Hashable {
    /// The kinds of layouts. The raw value is the name on the wire and in JSON.
    public enum Kind: String, Sendable, CaseIterable {
        /// Items side by side in lines, as many as fit.
        case flow
        /// A flow of equal cells, in as many columns as the viewport has room for.
        case columnFlow
        /// One item in each line; those near the middle of the viewport are drawn larger.
        case line
        /// All items on one circle about the viewport's centre.
        case circle
        /// Segments of one, two and three cells.
        case mosaic
        /// Columns of equal width; an item goes to the column that is shortest.
        case waterfall
        // Frames number these cases in this order, so a new one goes last. The same is true of all
        // choices.
    }

    /// The axis along which the content scrolls.
    public enum ScrollDirection: String, Sendable, CaseIterable {
        /// Scrolling moves along y.
        case vertical
        /// Scrolling moves along x.
        case horizontal
    }

    /// The kind of layout.
    public var kind: Kind
    /// The options of all sections.
    public var options = LayoutOptions()

    // Settings that are the same for all sections.

    /// The scroll axis of `flow` and `line`; `nil` is horizontal for `line`, vertical for `flow`.
    /// All other kinds scroll vertically.
    public var scrollDirection: ScrollDirection?
    /// Whether the layout runs from right to left: all elements are mirrored within the content's
    /// width.
    public var rtl = false
    /// Of `line`: how much larger the item in the middle is drawn, as a part of its size; `nil` is
    /// 0.3.
    public var zoomFactor: Double?
    /// Of `line`: the distance from the viewport's middle, in points, within which items are drawn
    /// larger; `nil` is 200.
    public var activeDistance: Double?
    /// Of `waterfall`: the least height of the content, in points; `nil` is 0.
    public var minimumContentHeight: Double?

    /// Makes a layout of a kind, with all options at their defaults.
    public init(kind: Kind) {
        self.kind = kind
    }
}

/// What surrounds a collection: its viewport's size, insets and pixels, but not the place to which
/// the viewport is scrolled. All lengths are in points.
public struct LayoutEnvironment: Sendable, Hashable {
    /// The size of the viewport. A view ignores it, and uses the size of its bounds.
    public var viewport: ListSize
    /// What is left free at the sides of the content.
    public var contentInset: Insets
    /// How much other things cover at the sides, such as bars.
    public var safeArea: Insets
    /// The margins at the sides; `nil` is 0, but in `columnFlow` ``safeArea``, and with the fit
    /// `plain` 16 more at each side.
    public var layoutMargins: Insets?
    /// Pixels for each point, to which `flow`, `columnFlow` and `line` round the origins of frames,
    /// and `waterfall` rounds sizes down. With `nil`, or a number that is not above 0 or above
    /// 1,000,000, origins are not rounded, and `waterfall` uses 1.
    public var pixelScale: Double?

    /// The most pixels of a point.
    static let mostPixels = 1_000_000.0

    /// Makes an environment; what is not given is 0, or `nil`.
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

    /// No insets, and a viewport without any size: for a view, which has the size of its bounds.
    public static let plain = LayoutEnvironment(viewport: ListSize(width: 0, height: 0))
}

/// The input for one section of a layout.
package struct SectionInput: Sendable, Hashable {
    package enum Items: Sendable, Hashable {
        /// A number of items with the layout's default size.
        case count(Int)
        /// Items with sizes of their own; `nil` for those that have none.
        case sizes([ListSize?])
    }

    /// The options that differ from the collection's.
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
