import SyncClient
public import SyncLayout
public import SyncModel

/// A view of a room: a layout with a viewport, and the elements on its screen.
/// ``CollectionRoom/openView(_:in:bounds:overscan:atBeginning:)`` makes one.
///
///     let view = try await room.openView(
///         LayoutSpec(kind: .flow), bounds: ListRect(width: 375, height: 667), overscan: 200)
///     for shown in try await view.screen().elements { print(shown.element.frame) }
///     view.scroll(to: ListPoint(y: 1_000))
///     view.scroll(toItem: "milk")
///     view.change(layout: LayoutSpec(kind: .waterfall))
///     view.close()
///
/// The server lays the room out and sends only what the screen shows. So a view needs memory for
/// its screen, however large the room is. It outlives lost connections. It is closed when nothing
/// refers to it or its streams any more.
public final class CollectionView: Sendable {
    /// The room that is shown.
    public let room: CollectionRoom

    let host: SessionHost
    let channel: LoopConfined<ViewChannel>

    init(of room: CollectionRoom, channel: LoopConfined<ViewChannel>) {
        self.room = room
        host = room.host
        self.channel = channel
    }

    deinit {
        close()
    }

    // MARK: Looking

    /// Everything that happens to the view, in order: first an update in which all current elements
    /// appear, then each further event, and last ``ViewEvent/ended(_:)``. Each stream has all
    /// events, for one task to read.
    ///
    /// While a stream is full (64 updates, or 16 MiB), the client reads nothing from the server,
    /// unless an answer is awaited. So a slow reader gets fewer, larger updates. Release a stream
    /// that you no longer read.
    public var events: AsyncStream<ViewEvent> {
        let pause = ReadingPause.unlessAwaited
        // The inbox keeps the view, so that it stays open for a client that only listens.
        let inbox = EventInbox<ViewEvent>(fullCount: CollectionView.fullCount, last: { .ended($0) })
        {
            [self] in
            host.perform { $0.resumeReading(pause) }
        }
        let isOpen = host.perform { [channel] _ in
            channel.value.subscribe(inbox, pausing: pause)
        }
        if !isOpen {
            _ = inbox.put(.ended(CollectionError(.closed)))
            inbox.finish()
        }
        return AsyncStream { try? await inbox.next() }
    }

    /// How many updates a stream buffers: few, since each may have a whole screen.
    private static let fullCount = 64

    /// All elements on the screen now. O(n) for n elements.
    ///
    /// - Throws: `closed` if the view or the client was closed.
    public func screen() async throws(CollectionError) -> ViewSnapshot {
        try await host.ask { [channel] _, answer in
            let screen = channel.value.screen
            answer(screen.map { .success($0) } ?? .failure(CollectionError(.closed)))
        }
    }

    // MARK: Changing

    /// Moves the bounds. An update says which elements appear and disappear.
    ///
    /// You may call it for each frame that you draw: while something else is being sent, only the
    /// latest call is pending.
    ///
    /// - Parameters:
    ///   - origin: the new origin of the bounds, in the content's coordinates.
    ///   - snapping: whether the bounds go on to the next place where the layout lets scrolling
    ///     end. The layout `line`, for example, centres an item. Then an update follows in any
    ///     case, and its ``/SyncLayout/ViewChange/shift`` leads there.
    public func scroll(to origin: ListPoint, snapping: Bool = false) {
        change(ViewSettings(origin: origin, snaps: snapping))
    }

    /// Moves the bounds to an item, wherever it is in the room. An update follows in any case, and
    /// its ``/SyncLayout/ViewChange/shift`` leads there. If there is no such item, nothing moves.
    ///
    /// - Parameters:
    ///   - item: the item's id.
    ///   - distance: from the origin of the bounds to that of the item, in points, as far as the
    ///     content allows. Only the coordinate along the scroll axis counts.
    public func scroll(toItem item: Identifier, at distance: ListPoint = ListPoint()) {
        change(ViewSettings(anchor: .item(ItemAnchor(item: item, distance: distance))))
    }

    /// Moves the bounds to the beginning of the content: to its top, or to a side if the layout
    /// scrolls to the side. That is the right one if it runs from right to left. An update follows
    /// in any case.
    public func scrollToBeginning() {
        change(ViewSettings(anchor: .beginning))
    }

    /// Changes the size of the bounds, in points. With another width, or with another height of a
    /// layout that scrolls to the side, the first item on the screen keeps its place there.
    ///
    /// - Parameters:
    ///   - size: the new size.
    ///   - origin: where the bounds go instead, in the content's new coordinates. One that is less
    ///     than a point from the current origin counts as that.
    public func resize(to size: ListSize, scrollingTo origin: ListPoint? = nil) {
        change(ViewSettings(origin: origin, size: size))
    }

    /// Shows the room in another layout. The first item on the screen keeps its place there.
    ///
    /// The update that follows is a transition (``/SyncLayout/ViewChange/isTransition``), of which
    /// ``/SyncLayout/ViewChange/elements(at:)`` gives each moment. A layout that the server refuses
    /// ends the view.
    ///
    /// - Parameters:
    ///   - layout: the layout with all its options; no option of the former layout is kept.
    ///   - environment: what surrounds the content. Its viewport is not used.
    ///   - origin: where the bounds go instead, in the content's new coordinates. One that is less
    ///     than a point from the current origin counts as that.
    public func change(
        layout: LayoutSpec, in environment: LayoutEnvironment = .plain,
        scrollingTo origin: ListPoint? = nil
    ) {
        change(ViewSettings(layout: ViewLayout(layout, in: environment), origin: origin))
    }

    /// Changes several things at once.
    package func change(_ settings: ViewSettings) {
        host.perform { [channel] session in
            session.changeView(channel.value.number, of: channel.value.membership, settings)
        }
    }

    /// Closes the view. Its streams end, and a drag in it is over. Closing again does nothing.
    public func close() {
        host.perform { [channel] session in
            session.closeView(channel.value.number, of: channel.value.membership)
        }
    }
}
