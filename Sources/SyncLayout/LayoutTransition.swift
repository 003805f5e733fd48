/// A transition from one layout of a collection to another.
///
/// Both must have the same sections and items; their viewports may differ.
package struct LayoutTransition {
    package let from: CollectionLayout
    package let to: CollectionLayout
    /// The viewports before and afterwards.
    package let fromBounds: ListRect
    package let toBounds: ListRect

    package init(
        from: CollectionLayout, _ fromBounds: ListRect, to: CollectionLayout, _ toBounds: ListRect
    ) {
        self.from = from
        self.to = to
        self.fromBounds = fromBounds
        self.toBounds = toBounds
    }

    /// One element's transition: an element that only one side has appears or disappears.
    package struct Way: Sendable, Hashable {
        package var from: LayoutElement
        package var to: LayoutElement

        /// The element at a progress of 0…1; beyond that it stays at the nearer end.
        package func element(at progress: Double) -> LayoutElement {
            from.element(onTheWayTo: to, at: progress)
        }
    }

    /// The transition of one element; `nil` if neither layout has it.
    package func way(of identity: LayoutElement.Identity) -> Way? {
        let old = from.element(identity, bounds: fromBounds)
        let new = to.element(identity, bounds: toBounds)
        switch (old, new) {
        case (let old?, let new?): return Way(from: old, to: new)
        case (let old?, nil): return Way(from: old, to: from.disappeared(old, bounds: fromBounds))
        case (nil, let new?): return Way(from: to.appearing(new, bounds: toBounds), to: new)
        case (nil, nil): return nil
        }
    }

    /// The transitions of all elements that either viewport shows: first those of the old viewport
    /// in its content order, then those that only the new viewport shows, in its order.
    ///
    /// - Throws: ``LayoutError/tooManyElements(limit:)``.
    package func ways() throws(LayoutError) -> [Way] {
        let old = try from.elements(in: fromBounds, bounds: fromBounds).map(\.identity)
        let known = Set(old)
        let new = try to.elements(in: toBounds, bounds: toBounds).map(\.identity)
        return (old + new.filter { !known.contains($0) }).compactMap(way)
    }
}

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

extension CollectionLayout {
    /// The state of an element when it begins to appear in a viewport at `bounds`.
    package func appearing(_ element: LayoutElement, bounds: ListRect) -> LayoutElement {
        layout.absent(element, appears: true, in: environment(in: bounds))
    }

    /// The state of an element when it has disappeared from a viewport at `bounds`.
    package func disappeared(_ element: LayoutElement, bounds: ListRect) -> LayoutElement {
        layout.absent(element, appears: false, in: environment(in: bounds))
    }
}
