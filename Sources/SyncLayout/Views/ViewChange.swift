public import SyncModel

/// A change on the screen of a view: which elements appeared, changed and disappeared, and how each
/// begins and ends. An app can display it without knowing the elements that were there before.
///
///     for await event in view.events {
///         guard case .updated(let change) = event else { continue }
///         for gone in change.disappeared { print("remove", gone.from.key) }
///         for changed in change.changed { print(changed.to.key, changed.to.element.frame) }
///         for new in change.appeared { print("add", new.to.key, new.to.element.frame) }
///     }
public struct ViewChange: Sendable, Equatable {
    /// An element that was not on the screen before.
    public struct Appeared: Sendable, Equatable {
        /// Its state when it begins to appear: a new item begins with opacity 0.
        public var initial: LayoutElement
        /// Its state now.
        public var to: ViewElement

        /// Makes an appearance.
        public init(initial: LayoutElement, to: ViewElement) {
            self.initial = initial
            self.to = to
        }
    }

    /// An element that stayed on the screen, with another frame, another look or other content.
    public struct Changed: Sendable, Equatable {
        /// Its state before, in the content's old coordinates.
        public var from: ViewElement
        /// Its state now.
        public var to: ViewElement

        /// Makes a change.
        public init(from: ViewElement, to: ViewElement) {
            self.from = from
            self.to = to
        }

        /// What it shows now, if that differs from before; else `nil`.
        ///
        /// # Performance
        /// O(n) for n bytes of content.
        public var newContent: ViewContent? { from.content == to.content ? nil : to.content }
    }

    /// An element that is not on the screen any more.
    public struct Disappeared: Sendable, Equatable {
        /// Its state before, in the content's old coordinates.
        public var from: ViewElement
        /// Its state at the end: a deleted item has opacity 0; an element that left the screen is
        /// at its new place outside it.
        public var final: LayoutElement

        /// Makes a disappearance.
        public init(from: ViewElement, final: LayoutElement) {
            self.from = from
            self.final = final
        }
    }

    /// The room's revision that the view shows now.
    public var revision: Revision
    /// The content's size in points, if it changed; else `nil`.
    public var contentSize: ListSize?
    /// How far the server moved the bounds, in points, so that what is on the screen stays there;
    /// `nil` if it did not. An app that has scrolled on meanwhile moves its own bounds by the same
    /// distance.
    public var shift: ListPoint?
    /// The bounds after this change, in the content's coordinates: where `scroll` last moved them,
    /// plus ``shift``.
    public var bounds: ListRect
    /// Whether the view changes to another layout. Elements that appear then begin at their places
    /// in the old layout.
    public var isTransition = false
    /// Whether the screen is incomplete; the rest comes with the next change.
    public var hasMore = false
    /// The number of the view's last settings; `nil` while the view does not yet show all that they
    /// ask for.
    package var answeredSettings: UInt64?
    /// The elements that are new on the screen.
    public var appeared: [Appeared] = []
    /// The elements that stayed and differ.
    public var changed: [Changed] = []
    /// The elements that are gone.
    public var disappeared: [Disappeared] = []

    package var elementCount: Int { appeared.count + changed.count + disappeared.count }

    /// Makes a change without elements.
    public init(
        revision: Revision, bounds: ListRect, contentSize: ListSize? = nil, shift: ListPoint? = nil
    ) {
        self.revision = revision
        self.bounds = bounds
        self.contentSize = contentSize
        self.shift = shift
    }

    /// The elements of this change at one moment of its animation. All other elements stay as they
    /// are.
    ///
    /// Frames are in the content's new coordinates. An element that was on the screen before begins
    /// at its old place on the screen.
    ///
    ///     for step in 0...10 {
    ///         for shown in change.elements(at: Double(step) / 10) {
    ///             print(shown.key, shown.element.frame, shown.element.alpha)
    ///         }
    ///     }
    ///
    /// - Parameter progress: how far the animation is, from 0 (before) to 1 (now); a number beyond
    ///   counts as the nearer end.
    /// - Returns: first what disappears, then what changed, then what appears.
    ///
    /// # Performance
    /// O(n) for the n elements of the change.
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

    /// An old element, at its old place on the screen in the new coordinates.
    private func shifted(_ element: LayoutElement) -> LayoutElement {
        guard let shift else { return element }
        var element = element
        element.frame.origin += shift
        return element
    }
}
