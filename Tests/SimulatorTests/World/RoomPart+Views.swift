import EngineTwin
import LayoutTwin
import SeededRandom
import SyncClient
import SyncJSON
import SyncLayout
import SyncModel
import SyncWire

// The views of a client in a room.
extension RoomPart {
    private static let maximumViews = 3

    /// Opens a view, or scrolls, resizes, switches or closes one.
    func look(_ session: ClientSession) {
        guard let membership else { return }
        guard let view = machine.random.pick(views), machine.random.chance(85) else {
            return openView(session)
        }
        if machine.random.chance(8) { return session.closeView(view.number, of: membership) }
        var settings = ViewSettings()
        switch machine.random.below(6) {
        case 0: settings.overscan = Double(machine.random.below(3) * 100)
        case 1:
            settings.size = ListSize(
                width: machine.numbers.usual(50...600), height: machine.numbers.usual(50...600))
        case 2:
            let layout = RandomLayoutInput(using: &machine.numbers)
            let viewLayout = ViewLayout(layout.spec, in: layout.environment)
            view.ask(for: viewLayout)
            settings.layout = viewLayout
        default:
            settings.origin = ListPoint(
                x: machine.numbers.usual(-50...300), y: machine.numbers.usual(-50...1500))
            settings.snaps = machine.random.chance(20)
        }
        view.ask(overscan: settings.overscan)
        awaited.remove(view.number)
        session.changeView(view.number, of: membership, settings)
    }

    func openView(_ session: ClientSession) {
        guard let membership, views.count < RoomPart.maximumViews else { return }
        let input = RandomLayoutInput(using: &machine.numbers)
        let layout = ViewLayout(input.spec, in: input.environment)
        _ = session.openView(
            of: membership, layout: layout, bounds: input.bounds, overscan: 0
        ) { number in
            views.append(ViewPart(number, layout, overscan: 0))
            awaited.insert(number)
        }
    }

    /// What is wrong with the screens once no more updates come; `nil` if each equals the room laid
    /// out from scratch, with dragged items at their targets.
    func screenDifference(at revision: Revision, among all: [RoomPart]) -> String? {
        guard let membership, !views.isEmpty else { return "nothing is on a screen" }
        // If nothing on its screens has changed, their revision may be older, and of the epoch
        // before.
        let origin = identity?.origin(of: revision)
        guard let room = evidence.state(of: name, at: revision, origin) else {
            return "nobody holds revision \(revision)"
        }
        for view in views {
            guard view.isShown, let screen = membership.screen(of: view.number) else {
                return "view \(view.number) shows nothing"
            }
            let (others, own) = drags(in: view, among: all)
            let difference = view.difference(
                from: room, bounds: screen.bounds, others: others, own: own)
            if let difference {
                return "view \(view.number) at \(revision), \(screen.bounds): \(difference)\n"
                    + view.layout.json
            }
        }
        return nil
    }

    // MARK: Events

    func membershipDidUpdate(_ number: ViewNumber, _ change: ViewChange) {
        guard let view = views.first(where: { $0.number == number }),
            let screen = membership?.screen(of: number)
        else {
            return evidence.accuse(
                .brokenProtocol, "\(machine.host) is told of view \(number), which is closed")
        }
        let origin = identity?.origin(of: change.revision)
        evidence.didView(change.revision, origin, in: name, machine.host)
        if let shift = change.shift, drag?.view == number { drag?.point? += shift }
        if let problem = view.take(change, endingAs: screen) {
            evidence.accuse(
                .illegalUpdate, "\(machine.host), view \(number) of \(name): \(problem)")
        }
        if awaited.remove(number) != nil {
            evidence.didShow(
                view.screen(at: screen.bounds), at: change.revision, origin, in: name,
                machine.host)
        }
    }

    func membershipDidEnd(_ number: ViewNumber, _ error: ClientError) {
        views.removeAll { $0.number == number }
        if drag?.view == number { drag = nil }
        guard case .server(let code, _, _, _) = error, !error.retry, code != .roomDeleted,
            !machine.isDenied(error), membership?.screen(of: number) == nil
        else { return }
        evidence.accuse(.brokenProtocol, "\(machine.host), view \(number) of \(name): \(error)")
    }
}
