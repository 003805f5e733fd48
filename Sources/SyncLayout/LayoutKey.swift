/// The key by which viewers share a layout. Viewers of a collection with the same key use the same
/// ``CollectionLayout``, each with its own bounds.
///
/// If sections follow each other, viewports of all lengths along the scroll axis have the same key.
/// In a circle each viewport size has its own. Numbers of the environment that can't be laid out
/// are replaced first. If an option is NaN, the key equals no key, not even itself.
package struct LayoutKey: Sendable, Hashable {
    package let spec: LayoutSpec
    package let environment: LayoutEnvironment

    /// The key of a viewer with this layout and environment.
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
    /// The part of the environment that a layout's plans depend on, with lengths and distances that
    /// can be laid out. If sections follow each other, the viewport has no length along the scroll
    /// axis.
    package func shared(by layout: any ListLayout) -> LayoutEnvironment {
        let scale = pixelScale ?? 0
        let shared = LayoutEnvironment(
            viewport: viewport.lengths, contentInset: contentInset.distances,
            safeArea: safeArea.distances, layoutMargins: layoutMargins?.distances,
            pixelScale: scale > 0 && scale <= LayoutEnvironment.mostPixels ? scale : nil)
        return shared.with(mainLength: 0, in: layout)
    }

    /// The same environment seen in a mirror: the insets at the left and the right are exchanged.
    var mirrored: LayoutEnvironment {
        var environment = self
        environment.contentInset = contentInset.mirrored
        environment.safeArea = safeArea.mirrored
        environment.layoutMargins = layoutMargins?.mirrored
        return environment
    }

    /// The same environment, but for a viewport of another length along the scroll axis if sections
    /// follow each other. Plans do not depend on that length.
    func with(mainLength: Double, in layout: any ListLayout) -> LayoutEnvironment {
        guard layout.stacksSections else { return self }
        let direction = layout.scrollDirection
        var environment = self
        environment.viewport = direction.size(
            main: mainLength, cross: direction.cross(viewport))
        return environment
    }
}

extension Insets {
    fileprivate var mirrored: Insets {
        Insets(top: top, left: right, bottom: bottom, right: left)
    }
}
