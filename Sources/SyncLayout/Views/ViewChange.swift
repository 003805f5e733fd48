public import SyncModel

/// What became different on the screen of a view, in full: what was there before need not be known.
public struct ViewChange: Sendable, Equatable {
    /// Something that was not there before.
    public struct Appeared: Sendable, Equatable {
        /// How it begins to appear: what was inserted fades in.
        public var initial: LayoutElement
        /// How it is now.
        public var to: ViewElement

        /// Makes an appearance.
        public init(initial: LayoutElement, to: ViewElement) {
            self.initial = initial
            self.to = to
        }
    }

    /// Something that is elsewhere, looks otherwise or shows something else.
    public struct Changed: Sendable, Equatable {
        /// How it was.
        public var from: ViewElement
        /// How it is now.
        public var to: ViewElement

        /// Makes a change.
        public init(from: ViewElement, to: ViewElement) {
            self.from = from
            self.to = to
        }

        /// What it shows, if that is something else than before.
        ///
        /// # Performance
        /// O(n) for n bytes of content.
        public var newContent: ViewContent? { from.content == to.content ? nil : to.content }
    }

    /// Something that is not there any more.
    public struct Disappeared: Sendable, Equatable {
        /// How it was.
        public var from: ViewElement
        /// How it is when it has disappeared: what was deleted fades out, what has left the screen
        /// stands elsewhere.
        public var final: LayoutElement

        /// Makes a disappearance.
        public init(from: ViewElement, final: LayoutElement) {
            self.from = from
            self.final = final
        }
    }

    /// The room's revision that is shown now.
    public var revision: Revision
    /// The content's size, if it is another one than before.
    public var contentSize: ListSize?
    /// By how much the bounds were moved, so that what is on the screen stays there: wherever they are
    /// meanwhile, they move by this.
    public var shift: ListPoint?
    /// Where the bounds are now, as far as scrolling was told.
    public var bounds: ListRect
    /// Whether the room is shown in another layout: what appears comes from where it was in the one before.
    public var isTransition = false
    /// Whether more is to be on the screen: it comes with the next change.
    public var hasMore = false
    /// The number of the view's last settings, if all that was asked of it is shown now.
    package var answeredSettings: UInt64?
    /// What is new on the screen.
    public var appeared: [Appeared] = []
    /// What is there and was there.
    public var changed: [Changed] = []
    /// What is gone.
    public var disappeared: [Disappeared] = []

    /// Makes a change of nothing.
    public init(
        revision: Revision, bounds: ListRect, contentSize: ListSize? = nil, shift: ListPoint? = nil
    ) {
        self.revision = revision
        self.bounds = bounds
        self.contentSize = contentSize
        self.shift = shift
    }

    /// What takes part in the change, as it looks some part of the way: at 0 as before, at 1 as now.
    ///
    /// Places are in the content as it is now, with the bounds where they are now: what was on the screen
    /// before begins where it was there. What is not among these stays as it is.
    ///
    /// # Performance
    /// O(n) for n elements that take part.
    public func elements(at progress: Double) -> [ViewElement] {
        func onTheWay(
            _ from: LayoutElement, _ to: LayoutElement, _ shown: ViewElement
        ) -> ViewElement {
            var shown = shown
            shown.element = from.element(onTheWayTo: to, at: progress)
            return shown
        }
        return disappeared.map { onTheWay(shifted($0.from.element), $0.final, $0.from) }
            + changed.map { onTheWay(shifted($0.from.element), $0.to.element, $0.to) }
            + appeared.map { onTheWay($0.initial, $0.to.element, $0.to) }
    }

    /// An element of before, where it was on the screen.
    private func shifted(_ element: LayoutElement) -> LayoutElement {
        guard let shift else { return element }
        var element = element
        element.frame.origin += shift
        return element
    }
}
