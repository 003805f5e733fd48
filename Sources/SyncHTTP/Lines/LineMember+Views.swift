import SyncClient
import SyncJSON
import SyncLayout
import SyncModel
import SyncWire

// Views, and drags in them.
extension LineMember {
    /// Opens, changes or closes a view.
    func obey(_ command: ViewCommand) {
        let known = views.number(named: command.id)
        if command.isClosed {
            guard let known, views.forget(known) != nil else { return }
            _ = views.table.close(known)
            loseDrag(in: known)
        } else if let known {
            views.table.change(known, ViewSettings(command))
        } else {
            open(command)
        }
        sendViews()
    }

    private func open(_ command: ViewCommand) {
        guard let layout = command.layout, let bounds = command.bounds else {
            return refuseLine(
                ErrorCode.badView.rawValue,
                "view \(command.id) is not open; to open it, add layout and bounds")
        }
        let most = welcome?.limits.views ?? 0
        guard views.count < most else {
            return refuseLine(
                ErrorCode.limitExceeded.rawValue,
                "view \(command.id): a connection may have \(most) views open in a room")
        }
        let number = views.table.open(
            layout: layout, bounds: bounds, overscan: command.overscan ?? 0)
        views.name(number, command.id)
        if command.snaps || command.anchor != nil {
            views.table.change(
                number,
                ViewSettings(
                    origin: command.snaps ? bounds.origin : nil, snaps: command.snaps,
                    anchor: command.anchor))
        }
    }

    private func sendViews() {
        guard let handle else { return }
        while let request = views.table.takeRequest(room: handle) {
            guard !send(.view(request)), views.table.close(request.view) else { continue }
            let error = ErrorMessage(
                .limitExceeded, "the layout is larger than the server takes")
            forgetView(request.view, error)
        }
    }

    /// Shows an update of a view, unless a line has closed it.
    func show(_ update: ViewUpdate) {
        let change: ViewChange?
        do throws(ViewScreenError) {
            change = try views.table.apply(update)
        } catch {
            return end(.broken("an update does not fit a view's screen (\(error))"))
        }
        guard let change, let name = views.name(of: update.view) else { return }
        if let shift = update.shift, drags.drag?.view == update.view {
            drags.change { $0.boundsDidMove(by: shift) }
        }
        if options.isViewOnly { revision = max(revision ?? 0, change.revision) }
        emit(change, of: update.view, named: name)
        sendDrags()
    }

    /// A line would be too long: closes its view, unless that is closed already.
    func refuse(_ unwritten: UnwrittenLine) {
        guard ending == nil, views.table.close(unwritten.view) else { return }
        countRefusal(.limitExceeded)
        let error = ErrorMessage(
            .limitExceeded,
            "what has changed is more than \(ScreenRead.mostBytes) bytes of JSON, as each element "
                + "has its content: show less at a time")
        forgetView(unwritten.view, error)
        sendViews()
    }

    /// The server has closed a view, or never opened it.
    func endView(_ number: ViewNumber, _ error: ErrorMessage) {
        if views.table.remove(number) { forgetView(number, error) }
    }

    private func forgetView(_ number: ViewNumber, _ error: ErrorMessage) {
        loseDrag(in: number)
        guard let name = views.forget(number) else { return }
        emit(.error(ServerLine.Failure(error, ofView: name)))
    }

    // MARK: Drags

    /// Takes a step of a drag.
    func obey(_ command: DragCommand) {
        let drag = drags.drag
        switch command {
        case .begin(let item, let name, let isShared):
            guard let view = views.number(named: name) else {
                return refuseDrag("view \(name) is not open")
            }
            guard drag == nil else {
                return refuseDrag("one drag at a time: end or cancel the one before")
            }
            drags.begin(item, in: view, isShared: isShared) { _ in }
        case .update(let point):
            drags.change { if $0.settled == nil { $0.move(to: point) } }
        case .end:
            guard let drag, drag.settled == nil else {
                return refuseDrag("there is no drag to be ended")
            }
            drags.change { $0.settled = { _ in } }
        case .cancel:
            guard let drag = drags.end(.cancel) else { break }
            if drag.began != nil || drag.settled != nil { refuseDrag("the drag was cancelled") }
        }
        sendDrags()
        dropIfSettled()
    }

    private func refuseDrag(_ message: String) {
        refuseLine(ErrorCode.badDrag.rawValue, message)
    }

    private func sendDrags() {
        guard let handle else { return }
        while let message = drags.takeMessage(
            room: handle, seen: { views.table.screen(of: $0)?.number ?? 0 }, isSent: { _ in true })
        {
            send(.drag(message))
        }
    }

    func didReceive(_ message: DragTarget) {
        guard let drag = drags.drag, drag.number == message.number,
            let name = views.name(of: drag.view)
        else { return }
        var isNew = false
        drags.change { drag in
            isNew = drag.didReceive(message)
            drag.began = nil
        }
        if isNew { emit(.dragTarget(DragTargetLine(view: name.text, target: message.target))) }
        dropIfSettled()
    }

    /// Moves the item of a drag that a line has ended, once the target of its last point is known.
    private func dropIfSettled() {
        guard let drag = drags.drag, drag.isSettled, drag.settled != nil else { return }
        let number = drag.target.flatMap {
            submit(PackedTransaction.packing([.move(drag.item, to: $0.placement)]))
        }
        _ = drags.end(number.map { .end(counter: $0) } ?? .cancel)
        sendDrags()
    }

    /// The drag in a view is over, since the view is closed.
    private func loseDrag(in view: ViewNumber) {
        if drags.drag?.view == view { _ = drags.lose() }
    }

    /// The server says that a drag is over, or never began.
    func loseDrag(_ number: DragNumber, _ error: ErrorMessage) {
        guard drags.drag?.number == number, let drag = drags.lose() else { return }
        let isAwaited = drag.began != nil || drag.settled != nil
        if !isAwaited, let name = views.name(of: drag.view) {
            emit(.error(ServerLine.Failure(error, ofView: name)))
        } else {
            emit(.error(ServerLine.Failure(error)))
        }
    }
}
