import EngineTwin
import LayoutTwin
import SeededRandom
import SyncClient
import SyncLayout
import SyncModel
import SyncWire

// The drags of a client in its views.
extension RoomPart {
    /// The most attempts to begin the final drag, because some are refused or lost.
    private static let maximumAttempts = 6

    /// Begins a drag, moves it, drops it or cancels it.
    func drag(_ session: ClientSession) {
        guard !views.isEmpty else { return openView(session) }
        guard let drag else {
            beginDrag(session)
            return carry(session)
        }
        guard !drag.isStill else { return }
        switch machine.random.below(10) {
        case 0: cancelDrag(session)
        case 1, 2:
            keepStill(session) { [weak self, weak session] settled in
                if let session { self?.drop(settled, session) }
            }
        default: carry(session)
        }
    }

    /// Drags an item on a screen, or one that does not exist.
    private func beginDrag(_ session: ClientSession) {
        guard let membership, let view = machine.random.pick(views),
            var item = machine.random.pick(view.items)
        else { return }
        if machine.random.chance(3) { item = "nothing" }
        let drag = DragPart(item, in: view.number, isShared: machine.random.chance(70))
        self.drag = drag
        evidence.willDrag(in: name)
        session.beginDrag(
            of: item, in: view.number, of: membership, isShared: drag.isShared
        ) { [weak self] result in
            guard let self, self.drag === drag else { return }
            switch result {
            case .success:
                drag.isBegun = true
                evidence.didDrag(.began)
            case .failure: lose(drag, .refused)
            }
        }
    }

    /// Moves it elsewhere, mostly over another item.
    private func carry(_ session: ClientSession) {
        guard let membership, let drag,
            let view = views.first(where: { $0.number == drag.view }),
            let bounds = membership.screen(of: drag.view)?.bounds
        else { return }
        var point = ListPoint(
            x: bounds.x + machine.numbers.usual(-50...600),
            y: bounds.y + machine.numbers.usual(-50...600))
        if machine.random.chance(70), let frame = machine.random.pick(view.frames) {
            point = frame.center
        }
        drag.point = point
        session.drag(to: point, in: drag.view, of: membership)
    }

    /// Stops moving it, and waits until its target is known.
    private func keepStill(_ session: ClientSession, then next: @escaping (SettledDrag) -> Void) {
        guard let membership, let drag else { return }
        drag.isStill = true
        session.settleDrag(in: drag.view, of: membership) { [weak self] result in
            guard let self, self.drag === drag else { return }
            switch result {
            case .success(let settled): next(settled)
            case .failure: lose(drag)
            }
        }
    }

    /// Drops it as the client library does: with one move, if it goes elsewhere.
    private func drop(_ settled: SettledDrag, _ session: ClientSession) {
        guard let membership, let target = settled.target else { return cancelDrag(session) }
        // Some clients claim that they have moved it, but have not.
        let hasMoved = machine.random.chance(90)
        let move = ListOperation.move(settled.item, to: target.placement)
        guard let counter = hasMoved ? submitMove(move, session) : 0 else {
            return cancelDrag(session)
        }
        drag = nil
        evidence.didDrag(hasMoved ? .dropped : .cancelled)
        session.endDrag(settled.number, of: membership, counter: counter)
    }

    private func cancelDrag(_ session: ClientSession) {
        guard let membership, let view = drag?.view else { return }
        drag = nil
        evidence.didDrag(.cancelled)
        session.cancelDrag(in: view, of: membership)
    }

    private func lose(_ drag: DragPart, _ event: Evidence.DragEvent = .lost) {
        guard self.drag === drag else { return }
        self.drag = nil
        evidence.didDrag(event)
    }

    // MARK: The end

    /// Whether its drags have no more effects.
    func isAtRest(carrying: Bool) -> Bool {
        guard let drag else { return !carrying || dragAttempts >= RoomPart.maximumAttempts }
        return carrying && drag.settled != nil
    }

    /// Ends up with an item that is dragged and not moved, or with none.
    func comeToRest(_ session: ClientSession, carrying: Bool) {
        guard carrying else { return endDrag(session) }
        guard let drag else {
            guard dragAttempts < RoomPart.maximumAttempts, !views.isEmpty,
                views.allSatisfy(\.isShown)
            else { return }
            dragAttempts += 1
            return beginDrag(session)
        }
        guard !drag.isStill else { return }
        guard drag.target == nil, machine.random.chance(90) else {
            return keepStill(session) { drag.settled = $0 }
        }
        carry(session)
    }

    private func endDrag(_ session: ClientSession) {
        guard let drag else { return }
        if let settled = drag.settled, machine.random.chance(50) {
            drop(settled, session)
        } else if !drag.isStill || drag.settled != nil {
            cancelDrag(session)
        }
    }

    // MARK: Events

    func membershipDidDrag(_ view: ViewNumber, to target: DropTarget?) {
        guard let drag, drag.view == view else {
            return evidence.accuse(
                .brokenProtocol, "\(machine.host) is told of a drag that is over")
        }
        drag.target = target
    }

    func membershipDidLoseDrag(_ view: ViewNumber, _ error: ClientError) {
        guard let drag, drag.view == view else {
            return evidence.accuse(
                .brokenProtocol, "\(machine.host) loses a drag that is over: \(error)")
        }
        lose(drag)
    }

    // MARK: What is visible

    /// What a view is expected to show of drags: first those of others or in other views, then the
    /// one in itself.
    func drags(in view: ViewPart, among all: [RoomPart]) -> (others: [SeenDrag], own: SeenDrag?) {
        var others: [SeenDrag] = []
        var own: SeenDrag?
        for part in all where part.name == name {
            guard let drag = part.drag, drag.isBegun else { continue }
            if part === self, drag.view == view.number {
                own = drag.held
            } else if drag.isShared {
                others.append(drag.seen)
            }
        }
        return (others, own)
    }

    /// What other members are expected to see of its drag.
    var dragged: DraggedItem? {
        guard let drag, drag.isBegun else { return nil }
        return DraggedItem(item: drag.item, target: drag.isShared ? drag.target : nil)
    }
}
