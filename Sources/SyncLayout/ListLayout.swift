package import SyncModel

/// A way to lay a collection out: a value that says how each section's items are placed.
///
/// ``CollectionLayout`` does the rest for all layouts: it stacks the sections, puts headers,
/// footers, supplementaries and decorations, pins, mirrors and rounds, answers questions and
/// follows batches. So a layout is a value with one function, ``plan(_:in:)``; all else has a
/// default.
package protocol ListLayout: Sendable {
    /// Says where the parts of a section are.
    ///
    /// Where sections follow each other, viewports of different lengths along the scroll axis share
    /// the plan, and the one in `environment` has none: 0.
    ///
    /// - Throws: ``LayoutError`` for more items or columns than it takes.
    func plan(
        _ section: LayoutSection, in environment: LayoutEnvironment
    ) throws(LayoutError) -> SectionPlan

    /// What is set for all sections.
    var options: LayoutOptions { get }
    /// Along which axis sections follow each other.
    var scrollDirection: LayoutSpec.ScrollDirection { get }
    /// Whether x runs from right to left.
    var isRightToLeft: Bool { get }
    /// The size of an item that has none of its own, in a section with these options; `nil` if
    /// sizes do not matter to the layout.
    func itemSize(in options: LayoutOptions) -> ListSize?
    /// Whether sections follow each other; if not, all begin at 0, and each is planned anew when
    /// the number of items changes in any.
    var stacksSections: Bool { get }
    /// Whether origins are rounded to pixels.
    var roundsOrigins: Bool { get }
    /// The size of the content, where the last section ends at `stacked`; not asked for without
    /// any. The viewport in `environment` is a viewer's own here.
    func contentSize(_ stacked: ListSize, in environment: LayoutEnvironment) -> ListSize
    /// Changes a cell as a viewport at `bounds` shows it.
    func adjust(_ cell: inout LayoutElement, in bounds: ListRect)
    /// Whether ``adjust(_:in:)`` may do anything.
    var adjustsCells: Bool { get }
    /// Whether scrolling ends with a cell in the viewport's centre.
    var centersCells: Bool { get }
    /// An element as it is when it begins to appear, and when it has disappeared. The viewport in
    /// `environment` is a viewer's own here.
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
    /// The size of an item, which may have one of its own; `nil` if sizes do not matter to the
    /// layout.
    func size(of own: ListSize?, in options: LayoutOptions) -> ListSize? {
        itemSize(in: options).map { own?.lengths ?? $0 }
    }
}

/// A section as a layout sees it.
package struct LayoutSection {
    package let index: Int
    /// What is set for it: its own options over the collection's.
    package let options: LayoutOptions
    /// The sizes of its items, as lengths.
    package let sizes: SizeList
    /// How many items are in the sections before it, and in all; known where sections don't follow
    /// each other.
    package let firstItem: Int
    package let totalItems: Int
    /// Where a body counts its steps.
    package let work: LayoutWork

    package var itemCount: Int { sizes.count }
}

/// Where the parts of a section are.
package struct SectionPlan {
    /// A header or a footer.
    package struct Band {
        /// Along the scroll axis; with 0 there is none, and no insets.
        package var length = 0.0
        package var insets = AxisInsets()
        package var pins = false

        package init(length: Double = 0, insets: AxisInsets = AxisInsets(), pins: Bool = false) {
            self.length = length
            self.insets = insets
            self.pins = pins
        }

        /// What it takes along the scroll axis.
        package var block: Double {
            length > 0 ? insets.mainLead + length + insets.mainTrail : 0
        }
    }

    package var header = Band()
    package var footer = Band()
    /// What is left free before and behind the items, along the scroll axis.
    package var leadInset = 0.0
    package var trailInset = 0.0
    package var body: any SectionBody

    package init(body: any SectionBody) {
        self.body = body
    }
}

/// How the items of a section are placed.
///
/// Along the scroll axis places are counted from where the items begin; across, from the edge of
/// the content.
package protocol SectionBody {
    /// Where the first item begins, if that is before where it should; else 0.
    var start: Double { get }
    /// How far the items reach along the scroll axis.
    var length: Double { get }
    /// Whether ``length`` is at least so much: may be known before that is.
    func reaches(_ main: Double) -> Bool
    /// Where an item is; there is one with this index.
    func place(of item: Int) -> AxisRect
    /// Calls `visit` with the items, in order, that may share something with an area, until it
    /// returns `false`. Some that do not may be among them.
    func visit(_ area: AxisRect, _ visit: (Int, AxisRect) -> Bool)
    /// Follows a change of the sizes; `false` if the section must be planned anew.
    func follow(_ change: SizeList.Change) -> Bool
    /// How many bytes it takes, besides the sizes, once all is known.
    var byteCount: Int { get }
}

extension SectionBody {
    package var start: Double { 0 }
    package func reaches(_ main: Double) -> Bool { length >= main }
    package func follow(_ change: SizeList.Change) -> Bool { false }
    package var byteCount: Int { 128 }
}
