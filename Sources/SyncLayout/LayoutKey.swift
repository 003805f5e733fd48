/// By what a layout is shared: viewers of a collection who have the same key see the same
/// ``CollectionLayout``, each with bounds of its own.
///
/// Where sections follow each other, viewports of all lengths along the scroll axis have one key;
/// in a circle every size has its own. In the environment, numbers that can't be laid out are those
/// that stand for them; with an option that is no number, a key equals none, not even itself.
package struct LayoutKey: Sendable, Hashable {
    package let spec: LayoutSpec
    package let environment: LayoutEnvironment

    /// The key of a viewer who asks for a layout and has this environment.
    package init(_ spec: LayoutSpec, in environment: LayoutEnvironment) {
        self.spec = spec
        self.environment = environment.shared(by: spec.makeLayout())
    }
}

extension CollectionLayout {
    /// Lays a collection out for all viewers with a key.
    package convenience init(
        _ key: LayoutKey, sources: [SectionSource], byteLimit: Int = .max,
        work: LayoutWork = LayoutWork()
    ) throws(LayoutError) {
        try self.init(
            key.spec.makeLayout(), in: key.environment, sources: sources, byteLimit: byteLimit,
            work: work)
    }
}

extension LayoutEnvironment {
    /// What of it a layout's plans depend on, in lengths and distances that can be laid out: where
    /// sections follow each other, the viewport has no length along the scroll axis.
    package func shared(by layout: any ListLayout) -> LayoutEnvironment {
        let scale = (pixelScale ?? 0).length
        let shared = LayoutEnvironment(
            viewport: viewport.lengths, contentInset: contentInset.distances,
            safeArea: safeArea.distances, layoutMargins: layoutMargins?.distances,
            pixelScale: scale > 0 ? scale : nil)
        return shared.with(mainLength: 0, in: layout)
    }

    /// The same for a viewport of another length along the scroll axis, where sections follow each
    /// other and plans don't depend on it; else the same.
    func with(mainLength: Double, in layout: any ListLayout) -> LayoutEnvironment {
        guard layout.stacksSections else { return self }
        let direction = layout.scrollDirection
        var environment = self
        environment.viewport = direction.size(
            main: mainLength, cross: direction.cross(viewport))
        return environment
    }
}
