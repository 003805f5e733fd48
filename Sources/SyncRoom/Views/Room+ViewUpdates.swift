import SyncBytes
import SyncCounts
import SyncEngine
import SyncLayout
import SyncModel
import SyncWire

/// Which views get updates in a turn, and when.
///
/// Very many members may view the same change. So a view gets updates some forty times a second at
/// most, and a turn serves only so many viewers that other work does not wait long. It does not
/// serve too few either, as each turn has the cost of bringing layouts up to date and of writing a
/// record. New layouts are limited, too: in a large room one turn makes one. Large layouts are
/// paced, see ``ViewPace``.
extension Room {
    /// Bytes of contents in one update of a view, about.
    #if DEBUG
        // So small that short random tests reach it.
        package static let viewUpdateBytes = 200
    #else
        package static let viewUpdateBytes = 256 << 10
    #endif

    /// How many elements a turn serves, about: those on the screens of its viewers. The other
    /// viewers wait for the next turn.
    #if DEBUG
        // Two viewers, about.
        private static let elementsAtOnce = 40
    #else
        private static let elementsAtOnce = 4096
    #endif
    /// A view costs as much as so many elements, beside its own.
    private static let elementsOfEmptyView = 16

    /// How many items new layouts may have in one turn. A single layout may have more.
    #if DEBUG
        static let itemsLaidOutAtOnce = 20
    #else
        static let itemsLaidOutAtOnce = 100_000
    #endif

    /// The viewers that are ready and have a view that is due; those that have waited longest, if
    /// there are many. Sets ``viewsDue``.
    ///
    /// # Performance
    /// O(v) for v viewers, a few instructions each, and O(d log d) for d viewers that are due.
    func takeDueViewers(at now: UInt64) -> [Member] {
        views.due = nil
        budget.spend(WorkCost.look.steps(views.members.count))
        var waiting: [(since: UInt64, index: Int)] = []
        for index in views.members.indices {
            guard views.members[index].isReady, let due = due(views.members[index]) else {
                continue
            }
            if due <= now {
                waiting.append((due, index))
            } else {
                views.due = min(views.due ?? .max, due)
            }
        }
        // In round-robin order, a viewer that is visited just before it is due would wait for all
        // others.
        waiting.sort { ($0.since, $0.index) < ($1.since, $1.index) }
        var found: [Member] = []
        var elements = 0
        for (_, index) in waiting {
            guard elements < Room.elementsAtOnce else {
                views.due = now
                break
            }
            found.append(views.members[index])
            for view in views.members[index].viewing.views {
                elements += Room.elementsOfEmptyView + view.screen.count
            }
        }
        return found
    }

    /// When a member is due for an update; `nil` if it lacks nothing.
    private func due(_ member: Member) -> UInt64? {
        if member.viewing.revokedDrag != nil { return 0 }
        var earliest: UInt64?
        for view in member.viewing.views where lacksSomething(view) {
            earliest = min(earliest ?? .max, due(view))
        }
        return earliest
    }

    /// When a view is due. An update that its client waits for is due at once. But the order of
    /// service counts from the view's last update, so that clients that ask again and again do not
    /// delay the others.
    private func due(_ view: RoomView) -> UInt64 {
        guard isUrgent(view) else { return max(view.due, view.deferredUntil) }
        return max(
            view.due - min(view.due, ViewTimetable.pauseMilliseconds), view.deferredUntil)
    }

    /// When the next view of a member is due after now; `nil` if none is.
    private func nextDue(_ member: Member, after now: UInt64) -> UInt64? {
        var next: UInt64?
        for view in member.viewing.views where lacksSomething(view) && due(view) > now {
            next = min(next ?? .max, due(view))
        }
        return next
    }

    private func lacksSomething(_ view: RoomView) -> Bool {
        isUrgent(view) || view.revision != durableRevision || view.dragVersion != drags.version
    }

    private func isUrgent(_ view: RoomView) -> Bool {
        view.isChanged || view.isPartial
    }

    func composeViews(
        of members: [Member], with encoder: MessageEncoder, at now: UInt64,
        deliver: Send
    ) {
        guard !members.isEmpty, let window = state.engine.window(at: durableRevision) else {
            return
        }
        let dragVersion = drags.version
        // If this finds new drag targets, other views are due, too.
        defer { if drags.version != dragVersion { views.due = now } }
        var turn = ViewTurn(now: now, window: window)
        for member in members {
            var frames: [EncodedFrame] = []
            for view in dueViews(of: member, at: now) {
                // A large screen costs as much as many small ones. So the member's other views may
                // wait.
                guard turn.elements < Room.elementsAtOnce, turn.elements == 0 || budget.left > 0
                else {
                    views.due = now
                    break
                }
                guard let revision = revisionToShow(in: view, for: member.holder, &turn) else {
                    continue
                }
                view.due = views.timetable.plan(
                    after: now, pendingSince, among: views.members.count)
                frames += makeFrames(of: view, at: revision, for: member, encoder, &turn)
            }
            frames += dragNews(for: member).map(encoder.encode)
            guard !frames.isEmpty else {
                // It was sent nothing, so it will not become ready again. Its other views need a
                // time of their own.
                if let due = nextDue(member, after: now) { views.due = min(views.due ?? .max, due) }
                continue
            }
            member.isReady = false
            member.viewing.count(unread: frames)
            deliver(frames, [member])
        }
    }

    /// The views of a member that are due, those first that have waited longest.
    private func dueViews(of member: Member, at now: UInt64) -> [RoomView] {
        let views = member.viewing.views.filter { lacksSomething($0) && due($0) <= now }
        if views.count < 2 { return views }
        return views.enumerated()
            .sorted { (due($0.element), $0.offset) < (due($1.element), $1.offset) }
            .map(\.element)
    }

    /// The revision to which a view may be updated now; `nil` if it has to wait.
    ///
    /// That is the durable one, unless a worker has to bring the layout there. Then it is the
    /// revision of the worker's last layout.
    private func revisionToShow(
        in view: RoomView, for holder: Holder, _ turn: inout ViewTurn
    ) -> Revision? {
        guard lends, needsWorker(view.layout) else {
            return mayUpdate(view, &turn) ? durableRevision : nil
        }
        let charge = view.layout.isMade ? nil : reserveLayout(for: holder)
        guard view.layout.isMade || charge != nil else { return durableRevision }
        lending.request(for: JobOwner(holder)) { [unowned self, layout = view.layout] in
            loan(for: layout, charge)
        }
        // Views that wait for layouts do not delay others.
        view.due = max(view.due, turn.now)
        guard let made = view.layout.revision, made >= state.engine.horizon,
            made < durableRevision, isUrgent(view) || view.revision.map({ $0 < made }) ?? true
        else { return nil }
        return made
    }

    /// Whether bringing a layout up to date takes more than a turn.
    private func needsWorker(_ layout: SharedLayout) -> Bool {
        if layout.hasFailed { return false }
        let engine = state.engine
        let most = WorkCost.layoutStep.units(for: budget.stepsPerPiece)
        guard let revision = layout.revision else { return layoutSize > most }
        guard revision < durableRevision else { return false }
        return layout.lastSteps > most
            || engine.steps(ofBatchFrom: revision, to: durableRevision)
                > budget.stepsPerPiece
    }

    /// A loan for bringing a layout up to date.
    ///
    /// - Parameter charge: the reserved memory of a new layout.
    private func loan(for layout: SharedLayout, _ charge: Charge?) -> Loan {
        let revision = durableRevision
        let making = layout.takeOut(byteLimit: byteLimit(of: layout))
        let stepsPerJob = budget.stepsPerJob
        return Loan(.output, of: state) { state in
            let engine = state.engine
            return Result { () throws(LayoutError) in
                var making = making
                // After very many changes, a new layout takes fewer steps.
                try making.bringUpToDate(at: revision, of: engine) {
                    engine.batch(from: $0, to: revision, stepLimit: stepsPerJob / 2)
                }
                return making
            }
        } then: { [unowned self] result in
            switch result {
            case .success(let made):
                layout.putBack(made)
                if let charge { accounts.setAside(charge) }
                views.pace.take(made.steps)
            case .failure(let error): layout.fail(error)
            }
        }
    }

    /// The size of a layout of the room, in items.
    private var layoutSize: Int {
        state.engine.itemCount + Room.itemsPerSection * state.engine.sectionCount
    }

    /// Whether a view's layout may be brought up to date now. If not, sets when it is due.
    private func mayUpdate(_ view: RoomView, _ turn: inout ViewTurn) -> Bool {
        if !view.layout.isCurrent(at: durableRevision) || !drags.list.isEmpty,
            let due = views.pace.due(for: layoutSize, after: turn.now)
        {
            view.deferredUntil = due
            views.due = min(views.due ?? .max, due)
            return false
        }
        if view.layout.isMade { return true }
        guard turn.itemsLaidOut < Room.itemsLaidOutAtOnce else {
            views.due = turn.now
            // Views that wait for layouts do not delay others.
            view.due = turn.now
            return false
        }
        turn.itemsLaidOut += 1 + state.engine.itemCount
        return true
    }

    /// A section costs as much as so many items.
    private static let itemsPerSection = 32

    /// The frames of a view's update, or of the error that closes it.
    private func makeFrames(
        of view: RoomView, at revision: Revision, for member: Member, _ encoder: MessageEncoder,
        _ turn: inout ViewTurn
    ) -> [EncodedFrame] {
        guard view.layout.isMade || mayMakeLayout(for: member.holder) else {
            return [close(view, of: member, .outOfMemory, encoder)]
        }
        let (steps, looks) = (views.layouts.work.steps, views.layouts.work.looks)
        defer {
            let taken = views.layouts.work.steps - steps
            counts.layoutSteps.add(taken)
            views.pace.take(taken)
            let steps =
                WorkCost.element.steps(view.screen.count)
                + WorkCost.layoutStep.steps(taken + views.layouts.work.looks - looks)
            turn.elements += steps
            budget.spend(steps)
            view.deferredUntil = 0
        }
        do throws(LayoutError) {
            let made = try update(of: view, at: revision, for: member, &turn)
            let frame = made.map { encoder.encode(.viewUpdate($0)) }
            if frame != nil { counts.viewUpdates.add() }
            // The steps of deflating it are spent when it is sent. Here they only leave later views
            // to another turn.
            if let frame, member.encoding != .plain {
                turn.elements += WorkCost.deflatedBytes.steps(frame.plain.count)
            }
            if var made { turn.buffers.reuse(&made) }
            member.viewing.count()
            guard !member.holder.views.isOverLimit else {
                counts.count(.screen)
                let text =
                    "the views of a connection take at most \(member.holder.views.limit) bytes"
                return [
                    close(view, of: member, RoomRefusal(code: .limitExceeded, text: text), encoder)
                ]
            }
            return frame.map { [$0] } ?? []
        } catch {
            let refusal = RoomRefusal(error)
            if refusal.code == .limitExceeded { counts.count(.screen) }
            return [close(view, of: member, refusal, encoder)]
        }
    }

    private func close(
        _ view: RoomView, of member: Member, _ refusal: RoomRefusal, _ encoder: MessageEncoder
    ) -> EncodedFrame {
        closeView(view.number, of: member.id)
        counts.count(refusal.code)
        let subject = ErrorSubject.view(view.number, serial: view.serial, in: handle)
        return encoder.encode(.error(refusal.message(about: subject)))
    }

    private func update(
        of view: RoomView, at revision: Revision, for member: Member, _ turn: inout ViewTurn
    ) throws(LayoutError) -> ViewUpdate? {
        let known = revision == durableRevision ? turn.window : state.engine.window(at: revision)
        guard let window = known,
            let layout = try self.layout(view.layout, at: revision, &turn.batches)
        else { return nil }
        // If the former layout fails or would need a worker, the update has no transition.
        let former = view.formerLayout.flatMap { former -> CollectionLayout? in
            if lends, former.revision != revision, needsWorker(former) { return nil }
            guard former.isMade || mayMakeLayout(for: member.holder) else { return nil }
            return try? self.layout(former, at: revision, &turn.batches)
        }
        let preview = LayoutPreview(of: layout)
        let update = Result { () throws(LayoutError) in
            let lifted = try liftItems(for: view, in: preview, window)
            var difference = ScreenDifference(
                of: view, in: preview, from: former, window, room: handle,
                byteLimit: Room.viewUpdateBytes, turn.buffers)
            difference.moveBounds()
            if let lifted { try findTarget(of: lifted, in: preview, window) }
            view.dragVersion = drags.version
            return try difference.finish(elementLimit: limits.viewElements)
        }
        do throws(LayoutError) {
            try preview.putBack()
        } catch {
            view.layout.forget()
            throw error
        }
        let made = try update.get()
        forgetFormerLayout(of: view, by: member)
        return made
    }

    /// A layout at a revision; `nil` if it is already ahead of that.
    private func layout(
        _ shared: SharedLayout, at revision: Revision, _ batches: inout [Revision: Batch]
    ) throws(LayoutError) -> CollectionLayout? {
        let engine = state.engine
        let isCurrent = shared.isCurrent(at: revision)
        let limit = isCurrent ? .max : byteLimit(of: shared)
        return try shared.layout(at: revision, of: engine, byteLimit: limit) { from in
            guard revision == durableRevision else { return engine.batch(from: from, to: revision) }
            if let known = batches[from] { return known }
            budget.spend(engine.steps(ofBatchFrom: from, to: revision))
            let batch = engine.batch(from: from, to: revision)
            batches[from] = batch
            return batch
        }
    }

    /// How many bytes a layout may take beside the room's other layouts. If that is little, it
    /// drops the layouts of viewers that do not read.
    private func byteLimit(of layout: SharedLayout) -> Int {
        let most = min(policy.maximumLayoutBytes, max(0, policy.maximumBytes - stateBytes))
        func left() -> Int { most - (views.layouts.byteCount - layout.byteCount) }
        if !layout.isMade, left() < most / 4 { dropUnreadLayouts() }
        return min(left(), policy.maximumBytesOfLayout)
    }
}

/// What the updates of one turn share.
private struct ViewTurn {
    let now: UInt64
    let window: RoomWindow
    let buffers = ScreenBuffers()
    /// Batches to the durable revision.
    var batches: [Revision: Batch] = [:]
    var itemsLaidOut = 0
    /// How many elements were served, about, with other work in terms of elements.
    var elements = 0
}
