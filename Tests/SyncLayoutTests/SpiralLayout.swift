import Glibc
import SyncLayout
import SyncModel

/// A custom layout: each section is a spiral, from its middle outwards, as wide as the content.
///
/// A layout is a value with one function. The function gets a section – its options and its items'
/// sizes – and returns the items' places: along the scroll axis (*main*) counted from where the
/// section's items begin, across (*cross*) from the edge of the content. ``CollectionLayout`` does
/// everything else: it stacks sections, adds headers and decorations, finds the items in a
/// rectangle, follows batches, and supports dragging and transitions:
///
///     let layout = try CollectionLayout(SpiralLayout(), in: environment, sections: sections)
///     let visible = try layout.elements(in: bounds, bounds: bounds)
///
/// Items may have any order and may overlap. ``FramesBody`` finds those in a rectangle. A layout
/// that can compute an item's place from its index alone has a ``SectionBody`` of its own instead,
/// and stores nothing.
struct SpiralLayout: ListLayout {
    /// The angle from each item to the next, in radians.
    var step = 0.7

    func plan(
        _ section: LayoutSection, in environment: LayoutEnvironment
    ) throws(LayoutError) -> SectionPlan {
        let count = section.itemCount
        guard count <= SizeList.itemLimit else {
            throw .itemCount(section: section.index, limit: SizeList.itemLimit)
        }
        let sizes = (0..<count).map { section.sizes[$0] }
        let widest = sizes.map(\.width).max() ?? 0
        let highest = sizes.map(\.height).max() ?? 0
        let insets = environment.contentInset
        let width = max(0, environment.viewport.width - insets.left - insets.right)
        // On an Archimedean spiral the radius grows with the angle; here up to the content's edge.
        let reach = max(0, width - widest) / 2
        let places = sizes.enumerated().map { item, size in
            let angle = step * Double(item)
            let radius = reach * Double(item + 1) / Double(count)
            return AxisRect(
                main: reach + radius * sin(angle) + (highest - size.height) / 2,
                cross: (width - size.width) / 2 + radius * cos(angle),
                mainLength: size.height, crossLength: size.width)
        }
        return SectionPlan(body: FramesBody(places))
    }
}
