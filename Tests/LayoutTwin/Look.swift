package import SyncLayout
package import SyncModel

/// A layout and where it is looked at; the viewport's size is that of the bounds.
package struct Look: Sendable {
    package var spec: LayoutSpec
    package var surroundings: LayoutEnvironment
    package var bounds: ListRect
    /// How far beyond the bounds elements are wanted.
    package var overscan: Double

    package init(
        _ spec: LayoutSpec, in surroundings: LayoutEnvironment, bounds: ListRect, overscan: Double
    ) {
        self.spec = spec
        self.surroundings = surroundings
        self.bounds = bounds
        self.overscan = overscan
    }

    /// A room, laid out from scratch.
    package func layout(of snapshot: Snapshot) throws(LayoutError) -> CollectionLayout {
        var environment = surroundings
        environment.viewport = bounds.size
        return try CollectionLayout(
            spec, in: environment, sections: snapshot.sections.map { SectionInput($0) })
    }

    /// What is on the screen of a room that is laid out so.
    func elements(of layout: CollectionLayout) throws(LayoutError) -> [LayoutElement] {
        try layout.elements(in: area, bounds: bounds)
    }

    /// Where elements are wanted.
    var area: ListRect {
        let beyond = Insets(top: -overscan, left: -overscan, bottom: -overscan, right: -overscan)
        return bounds.inset(by: beyond)
    }
}
