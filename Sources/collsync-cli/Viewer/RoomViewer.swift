import CollSync
import Glibc
import SyncIO
import SyncTerminal

/// Shows a view of a room on a terminal, live, until the user ends it.
///
/// Several tasks receive events from the server, the keyboard and the window; one task draws. It
/// draws the newest state whenever the terminal has accepted the drawing before.
final class RoomViewer: Sendable {
    private let room: CollectionRoom
    private let view: CollectionView
    private let state: Monitor<ViewerState>
    /// Yields whenever the screen may need drawing.
    private let changes: AsyncStream<Void>
    private let didChange: AsyncStream<Void>.Continuation
    /// Drag requests, which are done one after the other.
    private let drags: AsyncStream<ViewerState.Request>
    private let askDrag: AsyncStream<ViewerState.Request>.Continuation

    init(room: CollectionRoom, view: CollectionView, state: ViewerState) {
        self.room = room
        self.view = view
        self.state = Monitor(state)
        (changes, didChange) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (drags, askDrag) = AsyncStream.makeStream()
    }

    /// Runs until a key ends it, the view ends, or the task is cancelled. Then restores the
    /// terminal.
    func run() async throws {
        let window = try WindowSizes()
        defer { window.finish() }
        let keyboard = TerminalKeys.areThere ? try Keyboard(descriptor: STDIN_FILENO) : nil
        defer { keyboard?.finish() }
        let screen = try FullScreen()
        defer { screen.leave() }
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.followView() }
            group.addTask { try await self.followRoom() }
            group.addTask { try await self.followWindow(window.sizes) }
            group.addTask { await self.drag() }
            group.addTask { try await self.draw(on: screen) }
            if let keys = keyboard?.keys { group.addTask { await self.obey(keys, screen) } }
            // The first task to end ends the others.
            try await group.next()
            group.cancelAll()
        }
    }

    // MARK: Events

    private func followView() async throws {
        for await event in view.events {
            switch event {
            case .updated(let change): ask { $0.take(change) }
            case .dragged: break
            case .dragEnded(let error): change { $0.dragDidEnd(error.message) }
            case .ended(let error): throw error
            }
        }
    }

    private func followRoom() async throws {
        for await event in room.events {
            switch event {
            case .joined:
                change { state in
                    if case .interrupted = state.connection { state.notice = "connected again" }
                    state.connection = .connected
                }
            case .interrupted(let error, _):
                change { $0.connection = .interrupted(error.message) }
            case .nearLimit(let use): change { $0.notice = PlainText.describe(use).text }
            case .ended(let error): throw error
            case .snapshot, .authors, .batch, .acknowledged, .rejected: break
            }
        }
    }

    private func followWindow(_ sizes: AsyncStream<ScreenSize>) async throws {
        for await size in sizes { ask { $0.resize(to: size) } }
    }

    private func obey(_ keys: AsyncStream<Key>, _ screen: FullScreen) async {
        for await key in keys {
            let answer = change { state in
                let answer = state.press(key)
                if case .requests(let requests) = answer { perform(requests) }
                return answer
            }
            switch answer {
            case .requests: break
            case .redraw:
                screen.forget()
                didChange.yield()
            case .end: return
            }
        }
    }

    // MARK: Requests

    private func ask(_ body: (inout ViewerState) -> [ViewerState.Request]) {
        change { perform(body(&$0)) }
    }

    @discardableResult
    private func change<Result>(_ body: (inout ViewerState) -> Result) -> Result {
        let result = state.withLock(body)
        didChange.yield()
        return result
    }

    /// Sends requests to the view. It runs with the state locked, so that the requests have the
    /// order of the changes.
    private func perform(_ requests: [ViewerState.Request]) {
        for request in requests {
            switch request {
            case .scroll(let origin): view.scroll(to: origin)
            case .snap(let origin): view.scroll(to: origin, snapping: true)
            case .resize(let size): view.resize(to: size)
            case .change(let spec): view.change(layout: spec)
            case .beginDrag, .drag, .endDrag, .cancelDrag: askDrag.yield(request)
            }
        }
    }

    private func drag() async {
        for await request in drags {
            do throws(CollectionError) {
                switch request {
                case .beginDrag(let item): try await view.beginDrag(of: item)
                case .drag(let point): view.drag(to: point)
                case .endDrag:
                    try await view.endDrag()
                    change { $0.dragDidEnd(nil) }
                case .cancelDrag: view.cancelDrag()
                case .scroll, .snap, .resize, .change: break
                }
            } catch {
                change { $0.dragDidEnd(error.message) }
            }
        }
    }

    private func draw(on screen: FullScreen) async throws {
        for await _ in changes {
            let state = state.withLock { $0 }
            try await screen.show(ViewerPainter(state: state).canvas())
        }
    }
}
