package import SyncClient
public import SyncLayout
public import SyncModel

/// A layout of a room with a viewport: what is on its screen, and what becomes of that.
///
/// The server lays the room out and tells only what the screen shows, so that a view takes memory for its
/// screen, whatever the room holds. It goes on by itself over lost connections.
/// ``CollectionRoom/openView(_:in:bounds:overscan:)`` makes one; it is closed when it is let go of.
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

    /// All that happens, in order, after an update that brings the reader from nothing up to now.
    /// Each stream has all of it; it ends behind ``ViewEvent/ended(_:)``.
    ///
    /// While a stream is full and no answer is awaited the client reads nothing from the server, so
    /// that a slow reader costs no memory: it gets fewer, larger updates. Let go of a stream that
    /// is no longer read.
    public var events: AsyncStream<ViewEvent> {
        let pause = ReadingPause.unlessAwaited
        // The inbox keeps the view, so that who only listens goes on hearing.
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

    /// How many updates a stream holds: each may have a whole screen.
    private static let fullCount = 64

    /// All that is on the screen now.
    ///
    /// - Throws: if the view is closed.
    public func screen() async throws(CollectionError) -> ViewSnapshot {
        try await host.ask { [channel] _, answer in
            let screen = channel.value.screen
            answer(screen.map { .success($0) } ?? .failure(CollectionError(.closed)))
        }
    }

    // MARK: Changing

    /// Moves the bounds. What comes on the screen and leaves it, the events tell.
    ///
    /// It may be called as often as a screen is drawn: of what can't be sent at once only the latest
    /// is.
    ///
    /// - Parameters:
    ///   - origin: where the bounds are to be, in the content's coordinates.
    ///   - snapping: whether scrolling that would end there is to end where the layout wants items to come
    ///     to rest, as `line` centres one. An update follows in any case, and its shift leads there.
    public func scroll(to origin: ListPoint, snapping: Bool = false) {
        change(ViewSettings(origin: origin, snaps: snapping))
    }

    /// Moves the bounds to an item, wherever it is in the room. An update follows in any case, and its shift
    /// leads there; nothing moves if there is no such item.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - distance: from the origin of the bounds to the item's, as far as there is content for it; across
    ///     the scroll axis nothing moves.
    public func scroll(toItem item: Identifier, at distance: ListPoint = ListPoint()) {
        change(ViewSettings(anchor: ItemAnchor(item: item, distance: distance)))
    }

    /// Makes the bounds larger or smaller.
    public func resize(to size: ListSize) {
        change(ViewSettings(size: size))
    }

    /// Shows the room in another layout. The first item on the screen stays on it.
    ///
    /// The update that follows is a transition (``/SyncLayout/ViewChange/isTransition``), which can be shown at any
    /// progress: ``/SyncLayout/ViewChange/elements(at:)``.
    ///
    /// - Parameters:
    ///   - layout: the layout, with all that is set of it.
    ///   - environment: what surrounds the content; its viewport is not looked at.
    public func change(
        layout: LayoutSpec, in environment: LayoutEnvironment = .plain
    ) {
        change(ViewSettings(layout: ViewLayout(layout, in: environment)))
    }

    /// Changes several things at once.
    package func change(_ settings: ViewSettings) {
        host.perform { [channel] session in
            session.changeView(channel.value.number, of: channel.value.membership, settings)
        }
    }

    /// Closes the view.
    public func close() {
        host.perform { [channel] session in
            session.closeView(channel.value.number, of: channel.value.membership)
        }
    }
}
