package import SyncLayout
package import SyncModel

/// A layout and the viewport, whose size is that of the bounds.
package struct Look: Sendable {
    package var spec: LayoutSpec
    package var surroundings: LayoutEnvironment
    package var bounds: ListRect
    /// How far beyond the bounds elements are needed.
    package var overscan: Double

    package init(
        _ spec: LayoutSpec, in surroundings: LayoutEnvironment, bounds: ListRect, overscan: Double
    ) {
        self.spec = spec
        self.surroundings = surroundings
        self.bounds = bounds
        self.overscan = overscan
    }

    /// Lays a room out from scratch.
    package func layout(of snapshot: Snapshot) throws(LayoutError) -> CollectionLayout {
        var environment = surroundings
        environment.viewport = bounds.size
        return try CollectionLayout(
            spec, in: environment, sections: snapshot.sections.map { SectionInput($0) })
    }

    /// The elements of a layout that are on the screen.
    func elements(of layout: CollectionLayout) throws(LayoutError) -> [LayoutElement] {
        try layout.elements(in: area, bounds: bounds)
    }

    /// The area whose elements are needed.
    var area: ListRect {
        let beyond = Insets(top: -overscan, left: -overscan, bottom: -overscan, right: -overscan)
        return bounds.inset(by: beyond)
    }
}
