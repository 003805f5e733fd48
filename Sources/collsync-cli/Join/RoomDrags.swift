import CollSync
import SyncIO
import SyncJSON

/// Drags items as lines command it. A task does the steps in order, so that no line waits for the
/// server. A new point replaces one that is still queued.
final class RoomDrags: Sendable {
    private struct State {
        var steps: [DragCommand] = []
        /// The view with the current drag, if it is known.
        var view: CollectionView?
        var isAtWork = false
        var isFinished = false
    }

    private let views: NamedViews
    private let console: any RoomConsole
    private let state = Monitor(State())
    private let didAnswer: @Sendable () -> Void
    private let didFail: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - didAnswer: called once for each step that is answered, unless a transaction answers it.
    ///   - didFail: called with the error when output has failed.
    init(
        views: NamedViews, console: any RoomConsole, didAnswer: @escaping @Sendable () -> Void,
        didFail: @escaping @Sendable (any Error) -> Void
    ) {
        self.views = views
        self.console = console
        self.didAnswer = didAnswer
        self.didFail = didFail
    }

    /// Queues a step after those before it.
    func obey(_ step: DragCommand) {
        let begins = state.withLock { state in
            guard !state.isFinished else { return false }
            if case .update = step, case .update? = state.steps.last { state.steps.removeLast() }
            state.steps.append(step)
            defer { state.isAtWork = true }
            return !state.isAtWork
        }
        if begins { Task { await work() } }
    }

    /// Drops the queued steps.
    func finish() {
        state.withLock { state in
            state.isFinished = true
            state.steps = []
            state.view = nil
        }
    }

    private func work() async {
        while let step = nextStep() {
            do {
                let view = try await take(step, in: state.withLock(\.view))
                state.withLock { $0.view = view }
            } catch let error as CollectionError {
                if error.rejection == nil { answer(ServerLine.Failure(error)) }
            } catch let error as DragError {
                answer(ServerLine.Failure(code: "badDrag", message: error.message))
            } catch {
                didFail(error)
            }
        }
    }

    /// - Parameter view: the view with the current drag.
    /// - Returns: the view with the current drag afterwards.
    private func take(_ step: DragCommand, in view: CollectionView?) async throws -> CollectionView?
    {
        switch step {
        case .begin(let item, let name, let isShared):
            guard let view = await views.view(named: name) else {
                throw DragError(message: "view \(name) is not open")
            }
            try await view.beginDrag(of: item, shared: isShared)
            didAnswer()
            return view
        case .update(let point):
            view?.drag(to: point)
            return view
        case .end:
            guard let view else { throw DragError(message: "there is no drag to be ended") }
            // If the drop moves the item, that is answered as a transaction.
            if try await view.endDrag() == nil { didAnswer() }
            return nil
        case .cancel:
            view?.cancelDrag()
            return nil
        }
    }

    private struct DragError: Error {
        var message: String
    }

    private func answer(_ failure: ServerLine.Failure) {
        do {
            if failure.code != "closed" { try console.answer(.failed(failure)) }
        } catch {
            didFail(error)
        }
        didAnswer()
    }

    private func nextStep() -> DragCommand? {
        state.withLock { state in
            guard !state.steps.isEmpty else {
                state.isAtWork = false
                return nil
            }
            return state.steps.removeFirst()
        }
    }
}

extension DragCommand {
    /// Whether the step has an answer to wait for.
    var isAnswered: Bool {
        switch self {
        case .begin, .end: true
        case .update, .cancel: false
        }
    }
}
