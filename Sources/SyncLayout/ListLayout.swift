package import SyncModel

/// A way to lay a collection out: a value that says how each section's items are placed.
///
/// ``CollectionLayout`` does the rest for all layouts: it stacks the sections, puts headers,
/// footers, supplementaries and decorations, pins, mirrors and rounds, answers questions and
/// follows batches. So a layout is a value with one function, ``plan(_:in:)``; everything else has
/// a default.
package protocol ListLayout: Sendable {
    /// Says where the parts of a section are.
    ///
    /// If sections follow each other, viewports of different lengths along the scroll axis share
    /// the plan. The viewport in `environment` then has the length 0 along that axis.
    ///
    /// - Throws: ``LayoutError`` for more items or columns than it supports.
    func plan(
        _ section: LayoutSection, in environment: LayoutEnvironment
    ) throws(LayoutError) -> SectionPlan

    /// The options of all sections.
    var options: LayoutOptions { get }
    /// The axis along which sections follow each other.
    var scrollDirection: LayoutSpec.ScrollDirection { get }
    /// Whether x runs from right to left.
    var isRightToLeft: Bool { get }
    /// The size of an item that has none of its own, in a section with these options; `nil` if the
    /// layout ignores sizes.
    func itemSize(in options: LayoutOptions) -> ListSize?
    /// Whether sections follow each other. If not, all begin at 0, and a change of the number of
    /// items in any section plans all of them again.
    var stacksSections: Bool { get }
    /// Whether origins are rounded to pixels.
    var roundsOrigins: Bool { get }
    /// The size of the content if the last section ends at `stacked`. It is not called without
    /// sections. `environment` has the viewer's own viewport.
    func contentSize(_ stacked: ListSize, in environment: LayoutEnvironment) -> ListSize
    /// Changes a cell for a viewport at `bounds`.
    func adjust(_ cell: inout LayoutElement, in bounds: ListRect)
    /// Whether ``adjust(_:in:)`` may change a cell.
    var adjustsCells: Bool { get }
    /// Whether scrolling ends with a cell in the viewport's centre.
    var centersCells: Bool { get }
    /// The state of an element when it begins to appear, or when it has disappeared. `environment`
    /// has the viewer's own viewport.
    func absent(_ element: LayoutElement, appears: Bool, in environment: LayoutEnvironment)
        -> LayoutElement
}

extension ListLayout {
    package var options: LayoutOptions { LayoutOptions() }
    package var scrollDirection: LayoutSpec.ScrollDirection { .vertical }
    package var isRightToLeft: Bool { false }
    package func itemSize(in options: LayoutOptions) -> ListSize? {
        (options.itemSize ?? ListSize(width: 50, height: 50)).lengths
    }
    package var stacksSections: Bool { true }
    package var roundsOrigins: Bool { false }
    package func contentSize(_ stacked: ListSize, in environment: LayoutEnvironment) -> ListSize {
        stacked
    }
    package func adjust(_ cell: inout LayoutElement, in bounds: ListRect) {}
    package var adjustsCells: Bool { false }
    package var centersCells: Bool { false }
    package func absent(
        _ element: LayoutElement, appears: Bool, in environment: LayoutEnvironment
    ) -> LayoutElement {
        var element = element
        element.alpha = 0
        return element
    }
}

extension ListLayout {
    /// The size of an item with its own size or without one; `nil` if the layout ignores sizes.
    func size(of own: ListSize?, in options: LayoutOptions) -> ListSize? {
        itemSize(in: options).map { own?.lengths ?? $0 }
    }
}

/// A section as a layout sees it.
package struct LayoutSection {
    package let index: Int
    /// The section's own options over the collection's.
    package let options: LayoutOptions
    /// The sizes of its items, as lengths.
    package let sizes: SizeList
    /// The number of items in the sections before it, and in all; only valid if sections don't
    /// follow each other.
    package let firstItem: Int
    package let totalItems: Int
    /// Counts the steps of a body.
    package let work: LayoutWork

    package var itemCount: Int { sizes.count }
}

/// Where the parts of a section are.
package struct SectionPlan {
    /// A header or a footer.
    package struct Band {
        /// The length along the scroll axis. With 0 there is no band, and there are no insets.
        package var length = 0.0
        package var insets = AxisInsets()
        package var pins = false

        package init(length: Double = 0, insets: AxisInsets = AxisInsets(), pins: Bool = false) {
            self.length = length
            self.insets = insets
            self.pins = pins
        }

        /// The length along the scroll axis, insets included.
        package var block: Double {
            length > 0 ? insets.mainLead + length + insets.mainTrail : 0
        }
    }

    package var header = Band()
    package var footer = Band()
    /// The free room before and after the items, along the scroll axis.
    package var leadInset = 0.0
    package var trailInset = 0.0
    package var body: any SectionBody

    package init(body: any SectionBody) {
        self.body = body
    }
}

/// How the items of a section are placed.
///
/// Along the scroll axis, places are counted from the start of the items; across, from the edge of
/// the content.
package protocol SectionBody {
    /// Where the first item begins if it begins before the items' start; else 0.
    var start: Double { get }
    /// How far the items reach along the scroll axis.
    var length: Double { get }
    /// Whether ``length`` is at least `main`. This may be known before ``length`` is.
    func reaches(_ main: Double) -> Bool
    /// Where an item is. The index must be valid.
    func place(of item: Int) -> AxisRect
    /// Calls `visit` with the items that may overlap an area, in order, until it returns `false`.
    /// It may include items that do not overlap it.
    func visit(_ area: AxisRect, _ visit: (Int, AxisRect) -> Bool)
    /// Updates the body after a change of the sizes; `false` if the section must be planned again.
    func follow(_ change: SizeList.Change) -> Bool
    /// The memory in bytes once everything is computed, without the sizes.
    var byteCount: Int { get }
}

extension SectionBody {
    package var start: Double { 0 }
    package func reaches(_ main: Double) -> Bool { length >= main }
    package func follow(_ change: SizeList.Change) -> Bool { false }
    package var byteCount: Int { 128 }
}
