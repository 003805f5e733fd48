import CollSync
import SyncClient
import SyncIO
import SyncJSON
import SyncModel

/// A room that is joined through lines. It sends the commands of input lines to the room as they
/// come, and shows the room's events. At the end of the input it waits for the answers.
///
/// Three tasks share its state: one reads lines and never waits for answers, one shows events, one
/// shows other members. The task that shows events decides when to end. Lines are read only after
/// the room is shown: before, their author has seen nothing to base them on. A client that only
/// views is shown no room; its commands are based on what its views show.
final class JoinedRoom: Sendable {
    private struct State {
        let isViewOnly: Bool
        var hasJoined = false
        var unanswered = 0
        /// How many of these are transactions, which may be lost if nobody waits for the answer.
        var unconfirmed = 0
        /// The last revision that was shown, or is being shown: the author of the lines may have
        /// seen it.
        var shownRevision: Revision?
        /// The room and epoch of that revision.
        var shownOrigin: RoomOrigin?
        /// The room's identity, once joined.
        var welcome: RoomWelcome?
        /// The newest revision that a line created.
        var ownRevision: Revision = 0
        var isInputEnded = false
        var hasUnreadableLine = false
        /// Whether the room has rejected a transaction.
        var hasRejection = false
        var isInterrupted = false
        var ending: CollectionError?
        /// Why output is impossible.
        var failure: (any Error)?

        /// Whether the author of the lines has seen what they may be based on.
        var isShown: Bool { isViewOnly ? hasJoined : shownRevision != nil }

        /// Whether there is nothing left to wait for: all lines are answered, and the changes that
        /// they made are shown. Once all lines are answered, a lost connection is not worth waiting
        /// for.
        var isOver: Bool {
            isInputEnded && unanswered == 0
                && (isInterrupted || ownRevision <= shownRevision ?? ownRevision)
        }

        mutating func note(_ event: RoomEvent) {
            switch event {
            case .joined(let welcome):
                (isInterrupted, hasJoined) = (false, true)
                self.welcome = welcome
            case .snapshot(let snapshot): didShow(snapshot.revision)
            case .batch(let batch): didShow(batch.to)
            case .acknowledged(_, let commit):
                unanswered -= 1
                unconfirmed -= 1
                ownRevision = max(ownRevision, commit.revision)
            case .rejected:
                unanswered -= 1
                unconfirmed -= 1
                hasRejection = true
            case .interrupted: isInterrupted = true
            case .authors, .nearLimit: break
            case .ended(let error): ending = error
            }
        }

        private mutating func didShow(_ revision: Revision) {
            shownRevision = revision
            shownOrigin = welcome?.origin(of: revision)
        }

        /// The origin of a line's base. It is always sent: the room may have been replaced since
        /// the lines before were printed.
        func origin(of base: Revision?, named: RoomOrigin?) -> RoomOrigin? {
            guard let named else { return shownOrigin }
            // The newest epoch has no revisions before the first write in it.
            let isCurrent = welcome.map { $0.id == named.id && $0.epoch == named.epoch }
            return isCurrent == true ? base.flatMap { welcome?.origin(of: $0) } : named
        }
    }

    private let room: CollectionRoom
    private let console: any RoomConsole
    private let state: Monitor<State>
    /// Finishes when the room has been shown.
    private let beforeShown: AsyncStream<Never>
    private let didShow: AsyncStream<Never>.Continuation

    init(room: CollectionRoom, console: any RoomConsole, viewOnly: Bool = false) {
        self.room = room
        self.console = console
        state = Monitor(State(isViewOnly: viewOnly))
        (beforeShown, didShow) = AsyncStream.makeStream()
    }

    /// Runs until the lines end and all are answered, the room ends, or the task is cancelled. Then
    /// leaves the room.
    ///
    /// - Returns: whether every line was readable and no transaction was rejected.
    func run(_ lines: any LineInput) async throws -> Bool {
        let inbox = room.inbox(pausing: .always)
        let showing = Task { try await self.show(inbox) }
        let didAnswer: @Sendable () -> Void = {
            if self.didAnswer() { showing.cancel() }
        }
        let didFail: @Sendable (any Error) -> Void = { error in
            self.state.withLock { $0.failure = error }
            showing.cancel()
        }
        let views = NamedViews(room: room, console: console, didAnswer: didAnswer, didFail: didFail)
        let drags = RoomDrags(
            views: views, console: console, didAnswer: didAnswer, didFail: didFail)
        let reading = Task {
            do {
                try await self.readLines(lines, views, drags)
                if self.endInput() { showing.cancel() }
            } catch {
                _ = self.endInput()
                showing.cancel()
                throw error
            }
        }
        let result = await withTaskCancellationHandler {
            await showing.result
        } onCancel: {
            showing.cancel()
        }
        // If the room was never shown, the lines still wait for that.
        reading.cancel()
        didShow.finish()
        drags.finish()
        room.leave()
        await views.finish()
        // Ends the reading, so that its task releases the room before the program ends.
        lines.finish()
        _ = await reading.result
        try result.get()
        let state = state.withLock { $0 }
        if let ending = state.ending, ending.code != "closed" { throw ending }
        if let failure = state.failure { throw failure }
        guard state.unconfirmed <= 0 else {
            throw Failure(
                "\(counted(state.unconfirmed, "change")) given up: the server has not confirmed it",
                exitCode: Failure.tryAgain, code: "unanswered")
        }
        return !state.hasUnreadableLine && !state.hasRejection
    }

    private func didSubmit() {
        state.withLock { state in
            state.unanswered += 1
            state.unconfirmed += 1
        }
    }

    /// Records the end of the input.
    ///
    /// - Returns: whether there is nothing left to wait for.
    private func endInput() -> Bool {
        state.withLock { state in
            state.isInputEnded = true
            return state.isOver
        }
    }

    /// Records that one line is answered: its view shows the result or can't, or a step of a drag
    /// is done.
    ///
    /// - Returns: whether there is nothing left to wait for.
    private func didAnswer() -> Bool {
        state.withLock { state in
            state.unanswered -= 1
            return state.isOver
        }
    }

    // MARK: Lines

    private func readLines(
        _ lines: any LineInput, _ views: NamedViews, _ drags: RoomDrags
    ) async throws {
        for await _ in beforeShown {}
        try Task.checkCancellation()
        var number = 0
        var clipboard = RoomClipboard(room: room, console: console)
        while let lines = await lines.next() {
            for line in lines {
                number += 1
                let command = console.read(line, number: number)
                guard try await obey(command, ofLine: number, views, drags, &clipboard) else {
                    return
                }
            }
        }
    }

    /// - Returns: whether to read more lines.
    private func obey(
        _ command: ConsoleCommand, ofLine line: Int, _ views: NamedViews, _ drags: RoomDrags,
        _ clipboard: inout RoomClipboard
    ) async throws -> Bool {
        switch command {
        case .transaction(let operations, let base, let number, let named, let isAllOrNothing):
            let basis = basis(base, of: named)
            didSubmit()
            do throws(CollectionError) {
                try await room.send(
                    operations, base: basis.base, origin: basis.origin, number: number,
                    allOrNothing: isAllOrNothing)
            } catch {
                guard error.code == CollectionError.inFlight else { throw error }
                state.withLock { state in
                    state.unanswered -= 1
                    state.unconfirmed -= 1
                    state.hasUnreadableLine = true
                }
                try console.answer(.unreadable("line \(line): tx: \(error.message)"))
            }
        case .view(let command):
            switch views.obey(command) {
            case .asked: state.withLock { $0.unanswered += 1 }
            case .done: break
            case .refused(let reply): try console.answer(reply)
            }
        case .drag(let step):
            // Count it first: the answer may come at once.
            state.withLock { $0.unanswered += step.isAnswered ? 1 : 0 }
            drags.obey(step)
        case .presence(let presence):
            do throws(CollectionError) {
                try room.setPresence(
                    selected: presence.selected, highlighted: presence.highlighted,
                    custom: presence.custom)
            } catch {
                try console.answer(.failed(ServerLine.Failure(error)))
            }
        case .clipboard(let command):
            try await clipboard.obey(command) { didSubmit() }
        case .reply(let reply):
            if case .unreadable = reply { state.withLock { $0.hasUnreadableLine = true } }
            try console.answer(reply)
        case .quit: return false
        case .nothing: break
        }
        return true
    }

    /// What a line that is read now is based on, if it names this base and this origin, or neither.
    func basis(
        _ base: Revision? = nil, of origin: RoomOrigin? = nil
    ) -> (base: Revision?, origin: RoomOrigin?) {
        state.withLock { state in
            (base ?? state.shownRevision, state.origin(of: base, named: origin))
        }
    }

    // MARK: Events

    /// Shows events until the end. Once the room is shown, it also shows other members.
    ///
    /// It notes events before it shows them: their reader may answer before the output returns, and
    /// its lines are based on what it has read.
    private func show(_ inbox: EventInbox<RoomEvent>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var isShown = false
            while let events = try await inbox.takeAll() {
                let (isOver, isShownNow) = state.withLock { state in
                    for event in events { state.note(event) }
                    return (state.isOver, state.isShown)
                }
                try console.show(events)
                if isShownNow, !isShown {
                    isShown = true
                    didShow.finish()
                    group.addTask { await self.showOthers() }
                }
                if isOver { break }
            }
            group.cancelAll()
        }
    }

    private func showOthers() async {
        do {
            for await changes in room.presence { try console.show(changes) }
        } catch {
            state.withLock { $0.failure = error }
            room.leave()
        }
    }
}
