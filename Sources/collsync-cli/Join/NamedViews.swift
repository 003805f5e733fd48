import CollSync
import SyncClient
import SyncIO
import SyncJSON
import SyncLayout
import SyncModel

/// The views of a room that lines have opened, by their names in the lines. One task follows each
/// view.
///
/// No line waits for the server: changes to a view that is still opening are queued.
final class NamedViews: Sendable {
    private struct View {
        /// Distinguishes it from other views of the same name.
        let number: Int
        /// `nil` while it is opening.
        var view: CollectionView?
        /// Changes to apply once it is open.
        var pending: [ViewSettings] = []
        /// Callers that wait until it is open.
        var waiters: [CheckedContinuation<CollectionView?, Never>] = []
        /// The number of lines that have changed it.
        var changeCount: UInt64 = 0

        mutating func change(_ settings: ViewSettings) {
            var settings = settings
            changeCount += 1
            settings.number = changeCount
            if let view { view.change(settings) } else { pending.append(settings) }
        }
    }

    private struct State {
        var views: [Identifier: View] = [:]
        var lastNumber = 0
        var tasks: [Int: Task<Void, Never>] = [:]
        /// The numbers of views with changes that are not shown yet.
        var unanswered: Set<Int> = []

        /// Removes a view. Callers that wait for it get `nil`.
        mutating func remove(_ name: Identifier) -> View? {
            let view = views.removeValue(forKey: name)
            view?.waiters.forEach { $0.resume(returning: nil) }
            return view
        }
    }

    private let room: CollectionRoom
    private let console: any RoomConsole
    private let state = Monitor(State())
    private let didAnswer: @Sendable () -> Void
    private let didFail: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - didAnswer: called once for each ``Outcome/asked``, when the result is shown or can't be.
    ///   - didFail: called with the error when output has failed.
    init(
        room: CollectionRoom, console: any RoomConsole, didAnswer: @escaping @Sendable () -> Void,
        didFail: @escaping @Sendable (any Error) -> Void
    ) {
        self.room = room
        self.console = console
        self.didAnswer = didAnswer
        self.didFail = didFail
    }

    // MARK: Lines

    /// The outcome of a line.
    enum Outcome {
        /// The result will be shown, and `didAnswer` called.
        case asked
        /// There is no answer, or one that is already pending covers it.
        case done
        case refused(ConsoleReply)
    }

    /// Carries out a line.
    func obey(_ command: ViewCommand) -> Outcome {
        state.withLock { state in
            if command.isClosed {
                state.remove(command.id)?.view?.close()
                return .done
            }
            if let known = state.views[command.id] {
                state.views[command.id]?.change(ViewSettings(command))
                return state.unanswered.insert(known.number).inserted ? .asked : .done
            }
            guard let layout = command.layout, let bounds = command.bounds else {
                let message = "view \(command.id) is not open; to open it, add layout and bounds"
                return .refused(.failed(ServerLine.Failure(code: "badView", message: message)))
            }
            state.lastNumber += 1
            let number = state.lastNumber
            var view = View(number: number)
            if command.snaps || command.anchor != nil {
                view.change(
                    ViewSettings(
                        origin: command.snaps ? bounds.origin : nil, snaps: command.snaps,
                        anchor: command.anchor))
            }
            state.views[command.id] = view
            state.unanswered.insert(number)
            state.tasks[number] = Task { await run(number, command, layout, bounds) }
            return .asked
        }
    }

    /// Closes all views. Nothing more is shown after it returns. The room must have been left.
    func finish() async {
        let tasks = state.withLock { state in
            for name in Array(state.views.keys) { _ = state.remove(name) }
            return state.tasks.values
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// The view of a name, once it is open; `nil` if there is none or it fails to open.
    func view(named name: Identifier) async -> CollectionView? {
        await withCheckedContinuation { waiter in
            let known: CollectionView?? = state.withLock { state in
                guard let view = state.views[name] else { return .some(nil) }
                if let open = view.view { return open }
                state.views[name]?.waiters.append(waiter)
                return nil
            }
            if let known { waiter.resume(returning: known) }
        }
    }

    // MARK: Events

    /// Opens a view, and shows its events until it ends.
    private func run(
        _ number: Int, _ command: ViewCommand, _ layout: ViewLayout, _ bounds: ListRect
    ) async {
        do {
            let view = try await room.openView(
                layout.spec, in: layout.environment, bounds: bounds,
                overscan: command.overscan ?? 0)
            if didOpen(view, command.id, number) {
                try await show(view, command.id, number)
            } else {
                view.close()
            }
        } catch let error as CollectionError {
            end(command.id, number, error)
        } catch {
            didFail(error)
        }
        answerAll(number)
        state.withLock { _ = $0.tasks.removeValue(forKey: number) }
    }

    private func show(_ view: CollectionView, _ name: Identifier, _ number: Int) async throws {
        for await event in view.events where isOpen(name, number) {
            switch event {
            case .updated(let change):
                try console.show(ViewLine(change, of: name))
                if let settings = change.answeredSettings { answer(number, name, settings) }
            case .dragged(let target):
                try console.show(DragTargetLine(view: name.text, target: target))
            case .dragEnded(let error): report(error, of: name)
            case .ended(let error): throw error
            }
        }
    }

    /// - Returns: whether the view is still needed.
    private func didOpen(_ view: CollectionView, _ name: Identifier, _ number: Int) -> Bool {
        state.withLock { state in
            guard var opening = state.views[name], opening.number == number else { return false }
            for settings in opening.pending { view.change(settings) }
            for waiter in opening.waiters { waiter.resume(returning: view) }
            opening.view = view
            (opening.pending, opening.waiters) = ([], [])
            state.views[name] = opening
            return true
        }
    }

    private func isOpen(_ name: Identifier, _ number: Int) -> Bool {
        state.withLock { $0.views[name]?.number == number }
    }

    private func end(_ name: Identifier, _ number: Int, _ error: CollectionError) {
        let wasOpen = state.withLock { state in
            guard state.views[name]?.number == number else { return false }
            return state.remove(name) != nil
        }
        if wasOpen { report(error, of: name) }
    }

    private func report(_ error: CollectionError, of name: Identifier) {
        guard error.code != "closed" else { return }
        var failure = ServerLine.Failure(error)
        failure.message = "view \(name): \(failure.message)"
        do {
            try console.answer(.failed(failure))
        } catch {
            didFail(error)
        }
    }

    /// Records that the results of a view's lines are shown.
    ///
    /// - Parameter settings: the number of the last shown change.
    private func answer(_ number: Int, _ name: Identifier, _ settings: UInt64) {
        let wasAwaited = state.withLock { state in
            guard state.views[name]?.changeCount == settings else { return false }
            return state.unanswered.remove(number) != nil
        }
        if wasAwaited { didAnswer() }
    }

    /// Records that a view shows nothing more.
    private func answerAll(_ number: Int) {
        let wasAwaited = state.withLock { $0.unanswered.remove(number) != nil }
        if wasAwaited { didAnswer() }
    }
}
