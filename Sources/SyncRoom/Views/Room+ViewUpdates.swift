import SyncEngine
import SyncLayout
import SyncWire

/// What views are told, and when.
///
/// A change may be seen by very many: so each view is told of changes some forty times a second at most,
/// and not too many viewers in a turn, so that nobody else waits until all have been served. Nor are they
/// too few: with each turn the layouts are brought up to date, and what has come is made durable. So it is
/// with layouts that are new: whoever asks for one after the other gets one in a turn, if the room is large.
extension Room {
    /// How many bytes of contents one update of a view holds, about.
    #if DEBUG
        // Short random tests are to come to it.
        package static let viewUpdateBytes = 200
    #else
        package static let viewUpdateBytes = 256 << 10
    #endif

    /// How many elements the viewers who are served at once have on their screens, about; the other viewers
    /// come in the next turn.
    #if DEBUG
        // Two viewers, about.
        private static let elementsAtOnce = 40
    #else
        private static let elementsAtOnce = 4096
    #endif
    /// A view takes as long as so many elements, besides those that it has.
    private static let elementsOfEmptyView = 16

    /// How many items are laid out at once, in layouts that nobody had before; one layout may have more.
    #if DEBUG
        static let itemsLaidOutAtOnce = 20
    #else
        static let itemsLaidOutAtOnce = 100_000
    #endif

    /// The viewers that can take something, lack something and are to have it now: those that have waited
    /// longest, if there are many. Sets ``viewsDue``.
    ///
    /// # Performance
    /// O(v) for v viewers, a few instructions each; and O(d log d) for the d of them that are due.
    func takeDueViewers(at now: UInt64) -> [Member] {
        viewsDue = nil
        var waiting: [(since: UInt64, index: Int)] = []
        for index in viewers.indices {
            guard viewers[index].isReady, let due = due(viewers[index]) else { continue }
            if due <= now {
                waiting.append((due, index))
            } else {
                viewsDue = min(viewsDue ?? .max, due)
            }
        }
        // Taken in turn instead, one that is looked at a little too early would wait for all others.
        waiting.sort { ($0.since, $0.index) < ($1.since, $1.index) }
        var found: [Member] = []
        var elements = 0
        for (_, index) in waiting {
            guard elements < Room.elementsAtOnce else {
                viewsDue = now
                break
            }
            found.append(viewers[index])
            for view in viewers[index].views {
                elements += Room.elementsOfEmptyView + view.screen.count
            }
        }
        return found
    }

    /// When a member's views are to be told something; `nil` if they lack nothing.
    private func due(_ member: Member) -> UInt64? {
        if member.lostDrag != nil { return 0 }
        var earliest: UInt64?
        for view in member.views where lacksSomething(view) {
            earliest = min(earliest ?? .max, due(view))
        }
        return earliest
    }

    /// What a client waits for is due at once. It has still waited only since the view's last update, so that
    /// those that ask again and again do not keep the others waiting.
    private func due(_ view: RoomView) -> UInt64 {
        guard isUrgent(view) else { return view.due }
        return view.due - min(view.due, ViewTimetable.pauseMilliseconds)
    }

    /// When the next view of a member is to be told something that is not to be now.
    private func nextDue(_ member: Member, after now: UInt64) -> UInt64? {
        var next: UInt64?
        for view in member.views where lacksSomething(view) && view.due > now {
            next = min(next ?? .max, view.due)
        }
        return next
    }

    private func lacksSomething(_ view: RoomView) -> Bool {
        isUrgent(view) || view.revision != durableRevision || view.dragVersion != drags.version
    }

    /// Whether its client waits for something.
    private func isUrgent(_ view: RoomView) -> Bool {
        view.isChanged || view.isPartial
    }

    /// Makes what the views of some members lack.
    func composeViews(
        of members: [Member], with encoder: MessageEncoder, at now: UInt64,
        deliver: (Delivery) -> Void
    ) {
        guard !members.isEmpty, let window = state.engine.window(at: durableRevision) else {
            return
        }
        let dragVersion = drags.version
        // What is dropped elsewhere is then to be told to the others.
        defer { if drags.version != dragVersion { viewsDue = now } }
        var batches: [Revision: Batch] = [:]
        var itemsLaidOut = 0
        let buffers = ScreenBuffers()
        for member in members {
            var frames: [EncodedFrame] = []
            for view in member.views
            where isUrgent(view) || lacksSomething(view) && view.due <= now {
                if !view.layout.isMade {
                    guard itemsLaidOut < Room.itemsLaidOutAtOnce else {
                        viewsDue = now
                        // Nor do those that wait for layouts keep the others waiting.
                        view.due = now
                        continue
                    }
                    itemsLaidOut += 1 + state.engine.itemCount
                }
                view.due = timetable.plan(after: now, unseenSince, among: viewers.count)
                do throws(LayoutError) {
                    if var update = try update(of: view, window, &batches, buffers) {
                        frames.append(encoder.encode(.viewUpdate(update)))
                        buffers.reuse(&update)
                    }
                } catch {
                    let refusal = ViewRefusal(error)
                    closeView(view.number, of: member.id)
                    let message = ErrorMessage(
                        refusal.code, refusal.text, channel: .room(handle), view: view.number)
                    frames.append(encoder.encode(.error(message)))
                }
            }
            frames += dragNews(for: member).map(encoder.encode)
            guard !frames.isEmpty else {
                // It will not say that it has taken something, so that is not when its other views come.
                if let due = nextDue(member, after: now) { viewsDue = min(viewsDue ?? .max, due) }
                continue
            }
            member.isReady = false
            deliver(Delivery(frames: frames[...], members: [member]))
        }
    }

    private func update(
        of view: RoomView, _ window: RoomWindow, _ batches: inout [Revision: Batch],
        _ buffers: ScreenBuffers
    ) throws(LayoutError) -> ViewUpdate? {
        guard let layout = try self.layout(view.layout, &batches) else { return nil }
        // Where the old layout fails, all is as if it had not been.
        let former = view.formerLayout.flatMap { try? self.layout($0, &batches) }
        let preview = LayoutPreview(of: layout)
        let update = Result { () throws(LayoutError) in
            let held = try holdItems(for: view, in: preview, window)
            var difference = ScreenDifference(
                of: view, in: preview, from: former, window, room: handle,
                byteLimit: Room.viewUpdateBytes, buffers)
            difference.moveBounds()
            if let held { try findTarget(of: held, in: preview, window) }
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
        forgetFormerLayout(of: view)
        return made
    }

    /// A layout as the room is at the durable revision; `nil` while it is ahead of that.
    private func layout(
        _ shared: SharedLayout, _ batches: inout [Revision: Batch]
    ) throws(LayoutError) -> CollectionLayout? {
        let engine = state.engine
        return try shared.layout(at: durableRevision, of: engine) { from in
            if let known = batches[from] { return known }
            let batch = engine.batch(from: from, to: durableRevision)
            batches[from] = batch
            return batch
        }
    }
}
