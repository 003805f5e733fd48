import CollSync
import Glibc
import SyncIO

/// A view of a room on a terminal, live, until whoever watches it wants no more.
///
/// Tasks take in what happens – on the server, at the keyboard, to the window – and one draws. It
/// draws the newest there is whenever the terminal has taken what it drew before.
final class RoomViewer: Sendable {
    private let room: CollectionRoom
    private let view: CollectionView
    private let state: Monitor<ViewerState>
    /// Has something whenever the screen may have to be drawn.
    private let changes: AsyncStream<Void>
    private let didChange: AsyncStream<Void>.Continuation
    /// What is asked about drags: each waits for what was asked before.
    private let drags: AsyncStream<ViewerState.Request>
    private let askDrag: AsyncStream<ViewerState.Request>.Continuation

    init(room: CollectionRoom, view: CollectionView, state: ViewerState) {
        self.room = room
        self.view = view
        self.state = Monitor(state)
        (changes, didChange) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (drags, askDrag) = AsyncStream.makeStream()
    }

    /// Goes on until a key ends it, the view ends, or the task is cancelled. The terminal is as
    /// before then.
    func run() async throws {
        let window = try WindowSizes()
        defer { window.finish() }
        let keyboard = FullScreen.hasKeyboard ? try Keyboard(descriptor: STDIN_FILENO) : nil
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
            // The first to end ends the others.
            try await group.next()
            group.cancelAll()
        }
    }

    // MARK: What happens

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
            case .joined: change { $0.connection = .connected }
            case .interrupted(let error, _):
                change { $0.connection = .interrupted(error.message) }
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

    // MARK: What follows

    private func ask(_ body: (inout ViewerState) -> [ViewerState.Request]) {
        change { perform(body(&$0)) }
    }

    @discardableResult
    private func change<Result>(_ body: (inout ViewerState) -> Result) -> Result {
        let result = state.withLock(body)
        didChange.yield()
        return result
    }

    /// Asks the view for something. It is called with the state locked, so that the view is asked
    /// in the order in which the state changed.
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
