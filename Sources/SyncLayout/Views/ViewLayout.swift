/// How a view of a room is laid out: the layout, and what holds where the view is shown.
package struct ViewLayout: Sendable, Hashable {
    package var spec: LayoutSpec
    /// What surrounds the content. The viewport's size is 0: it is that of the view's bounds.
    package var environment: LayoutEnvironment

    package init(_ spec: LayoutSpec, in environment: LayoutEnvironment = .plain) {
        self.spec = spec
        self.environment = environment
        self.environment.viewport = LayoutEnvironment.plain.viewport
    }

    /// A layout of which little is set.
    package init(_ kind: LayoutSpec.Kind, _ set: (inout LayoutOptions) -> Void = { _ in }) {
        var spec = LayoutSpec(kind: kind)
        set(&spec.options)
        self.init(spec)
    }
}
