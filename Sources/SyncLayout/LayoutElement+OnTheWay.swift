extension LayoutElement {
    /// This element on its way to another one: its frame, opacity and scale lie between those of
    /// the two.
    ///
    /// - Parameters:
    ///   - to: the element at the end. The result has its identity and `zIndex`, and is hidden if
    ///     it is. Only at progress 0 is the result this element itself.
    ///   - progress: how far along the way, from 0 (this element) to 1 (`to`); a number beyond
    ///     counts as the nearer end.
    public func element(onTheWayTo to: LayoutElement, at progress: Double) -> LayoutElement {
        guard progress > 0 else { return self }
        guard progress < 1 else { return to }
        func between(_ value: (LayoutElement) -> Double) -> Double {
            value(self) + (value(to) - value(self)) * progress
        }
        var element = to
        element.frame = ListRect(
            x: between(\.frame.x), y: between(\.frame.y), width: between(\.frame.width),
            height: between(\.frame.height))
        element.alpha = between(\.alpha)
        element.scale = between(\.scale)
        return element
    }
}
