import SyncCounts
import SyncEngine
import SyncLayout
import SyncModel
package import SyncWire

extension Room {
    /// Opens a view, or changes an open one. The next ``compose(with:at:deliver:)`` sends its
    /// update. If it throws, the view is closed.
    package func show(_ demand: ViewDemand, to id: ConnectionID) throws(RoomRefusal) {
        guard let member = members[id] else { return }
        do throws(RoomRefusal) {
            try demand.check(policy)
            if let view = member.viewing.views.first(where: { $0.number == demand.view }) {
                try change(view, demand, of: member)
            } else {
                try open(demand, by: member)
            }
        } catch {
            closeView(demand.view, of: id)
            throw error
        }
    }

    private func open(_ demand: ViewDemand, by member: Member) throws(RoomRefusal) {
        guard let spec = demand.spec, let bounds = demand.bounds else {
            throw RoomRefusal(code: .badView, text: "a view that opens needs a layout and bounds")
        }
        guard member.viewing.views.count < limits.views else {
            counts.count(.views)
            throw RoomRefusal(
                code: .limitExceeded, text: "a connection may have \(limits.views) views of a room")
        }
        guard intake.now == .all else { throw .outOfMemory }
        let layout = try takeLayout(spec, demand.surroundings, bounds, for: member)
        let view = RoomView(
            demand.view, layout: layout, bounds: bounds, overscan: demand.overscan ?? 0)
        view.serial = demand.serial
        view.viewport.snaps = demand.snaps
        anchor(view, demand)
        member.viewing.views.append(view)
        counts.views.add()
        if member.viewing.views.count == 1 { views.members.append(member) }
    }

    private func change(
        _ view: RoomView, _ demand: ViewDemand, of member: Member
    ) throws(RoomRefusal) {
        view.serial = demand.serial
        view.isChanged = true
        view.isAwaited = true
        let former = view.viewport.bounds
        var isPlaced = false
        if let bounds = demand.bounds {
            isPlaced = view.viewport.move(to: bounds, seen: demand.seen)
            view.viewport.snaps = false
            view.viewport.anchor = nil
        }
        if demand.snaps { view.viewport.snaps = true }
        anchor(view, demand)
        if let overscan = demand.overscan { view.viewport.overscan = overscan }
        let old = view.layout
        let spec = demand.spec ?? old.key.spec
        let surroundings =
            demand.spec == nil ? old.key.environment : demand.surroundings
        let key = layoutKey(spec, surroundings, view.viewport.bounds)
        guard key != old.key else { return }
        let new = try takeLayout(spec, surroundings, view.viewport.bounds, for: member)
        if let unneeded = view.change(to: new, from: former, isPlaced: isPlaced) {
            views.layouts.giveBack(unneeded, by: member)
        }
    }

    /// Moves a view's bounds with its next update: to the beginning, or to an item, if there is
    /// such an item.
    private func anchor(_ view: RoomView, _ demand: ViewDemand) {
        switch demand.anchor {
        case nil: break
        case .beginning: view.viewport.anchor = .beginning
        case .item(let anchor):
            let revision = state.engine.revision
            view.viewport.anchor = state.engine.key(ofItem: anchor.item).map {
                .item($0, distance: anchor.distance, revision: revision)
            }
        }
    }

    private func layoutKey(
        _ spec: LayoutSpec, _ surroundings: LayoutEnvironment?, _ bounds: ListRect
    ) -> LayoutKey {
        var environment = surroundings ?? LayoutEnvironment(viewport: bounds.size)
        environment.viewport = bounds.size
        return LayoutKey(spec, in: environment)
    }

    private func takeLayout(
        _ spec: LayoutSpec, _ surroundings: LayoutEnvironment?, _ bounds: ListRect,
        for member: Member
    ) throws(RoomRefusal) -> SharedLayout {
        let key = layoutKey(spec, surroundings, bounds)
        guard intake.now == .all || views.layouts.isMade(key) else { throw .outOfMemory }
        guard let layout = views.layouts.take(key, for: member) else {
            counts.count(.layouts)
            throw RoomRefusal(
                code: .limitExceeded,
                text:
                    "a room is shown in \(policy.maximumLayouts) layouts at most, and of those you have your"
                    + " share")
        }
        return layout
    }

    /// Closes a view, if it is open.
    package func closeView(_ number: ViewNumber, of id: ConnectionID) {
        guard let member = members[id],
            let index = member.viewing.views.firstIndex(where: { $0.number == number })
        else { return }
        endDrags(in: member.viewing.views[index])
        giveBack(member.viewing.views.remove(at: index), by: member)
        counts.views.add(-1)
        member.viewing.count()
        if member.viewing.views.isEmpty { views.members.removeAll { $0 === member } }
    }

    private func giveBack(_ view: RoomView, by member: Member) {
        views.takeScreen(of: view)
        views.layouts.giveBack(view.layout, by: member)
        forgetFormerLayout(of: view, by: member)
    }

    /// Releases the layout of a view's last screen, once the screen was made in its new layout.
    func forgetFormerLayout(of view: RoomView, by member: Member) {
        if let former = view.takeFormerLayout() { views.layouts.giveBack(former, by: member) }
    }

    /// Closes all views of a member that leaves.
    func closeViews(of member: Member) {
        guard !member.viewing.views.isEmpty else { return }
        for view in member.viewing.views { giveBack(view, by: member) }
        counts.views.add(-member.viewing.views.count)
        member.viewing.views = []
        member.viewing.count()
        views.members.removeAll { $0 === member }
    }

    /// Drops the layouts whose viewers all have unread updates. They are made again when a viewer
    /// has read its update. Returns how many bytes that freed.
    @discardableResult
    package func dropUnreadLayouts() -> Int {
        let before = views.layouts.byteCount
        var read: Set<ObjectIdentifier> = []
        for member in views.members where member.isReady {
            for view in member.viewing.views {
                read.insert(ObjectIdentifier(view.layout))
                if let former = view.formerLayout { read.insert(ObjectIdentifier(former)) }
            }
        }
        views.layouts.forget { !read.contains(ObjectIdentifier($0)) }
        return before - views.layouts.byteCount
    }

    /// How many steps laying out took, in all.
    package var viewSteps: Int { views.layouts.work.steps }

    /// Sets how fast views are laid out: by the room itself, and by all rooms of its loop.
    package func pace(_ own: StepAllowance = ViewPace.allowance, _ shared: ViewPace.Shared) {
        views.pace = ViewPace(own: own, shared: shared)
    }

    /// Restarts all views, as the engine was replaced.
    func restartViews() {
        views.layouts.forget { _ in true }
        for member in views.members {
            for view in member.viewing.views {
                views.takeScreen(of: view)
                view.restart()
            }
        }
    }
}
