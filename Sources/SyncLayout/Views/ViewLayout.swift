/// How a view of a room is laid out: the layout, and the environment of the screen.
package struct ViewLayout: Sendable, Hashable {
    package var spec: LayoutSpec
    /// What surrounds the content. Its viewport's size is 0: the view's bounds supply the size.
    package var environment: LayoutEnvironment

    package init(_ spec: LayoutSpec, in environment: LayoutEnvironment = .plain) {
        self.spec = spec
        self.environment = environment
        self.environment.viewport = LayoutEnvironment.plain.viewport
    }

    /// A layout with only a few options set.
    package init(_ kind: LayoutSpec.Kind, _ set: (inout LayoutOptions) -> Void = { _ in }) {
        var spec = LayoutSpec(kind: kind)
        set(&spec.options)
        self.init(spec)
    }
}
