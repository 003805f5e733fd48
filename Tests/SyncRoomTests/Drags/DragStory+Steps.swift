import EngineTwin
import LayoutTwin
import RoomSupport
import SeededRandom
import SyncEngine
import SyncLayout
import SyncModel
import SyncRoom
import SyncWire
import Testing

// The members' steps, and the checks of their effects.
extension DragStory {
    private func held(by member: DraggingTwin) -> DraggingTwin.Drag? {
        drags.last { $0.owner === member && $0.landing == nil }
    }

    func begin() throws {
        guard let member = random.pick(members) else { return }
        let engine = room.state.engine
        let items = engine.snapshot().sections.flatMap(\.items)
        let item = random.pick(items)
        let id = random.chance(90) ? item?.id ?? Identifier("none") : Identifier("none")
        let isKnown = item?.id == id
        let isMovable = item?.content.flags.contains(.movable) == true
        member.lastDrag += 1
        let isShared = random.chance(50)
        let step = Drag.Step.begin(id, view: 1, isShared: isShared)
        do throws(RoomRefusal) {
            try room.settled.drag(member.lastDrag, step, by: member.id)
        } catch {
            let mayBe =
                error.code == .badDrag
                ? !isKnown || held(by: member) != nil : error.code == .notAllowed && !isMovable
            #expect(mayBe, "\(error)")
            return
        }
        #expect(isKnown && isMovable && held(by: member) == nil)
        let drag = DraggingTwin.Drag(member.lastDrag, id, isShared: isShared, by: member)
        drag.target = drags.last { $0.owner === member && $0.item == id }?.target
        drags.append(drag)
    }

    /// Moves a dragged item, mostly over something that is on the screen.
    func update() throws {
        guard let drag = random.pick(drags.filter { $0.landing == nil }) else { return }
        let member = drag.owner
        let view = member.view
        var point = ListPoint(
            x: view.bounds.x + numbers.usual(0...400) + 0.0123,
            y: view.bounds.y + numbers.usual(-20...600) + 0.0123)
        let shown = view.screen.sorted { $0.key < $1.key }.map(\.value.element)
        if random.chance(60), let center = random.pick(shown)?.frame.center {
            point = ListPoint(x: center.x + 0.0123, y: center.y + 0.0123)
        }
        drag.update += 1
        drag.point = point
        let step = Drag.Step.update(point, number: drag.update, seen: view.seen)
        try room.settled.drag(drag.number, step, by: member.id)
        // A late step of another drag is ignored.
        try room.settled.drag(drag.number &+ 7, .cancel, by: member.id)
    }

    func cancel() throws {
        guard let member = random.pick(members), let drag = held(by: member) else { return }
        try cancel(drag)
    }

    func cancel(_ drag: DraggingTwin.Drag) throws {
        try room.settled.drag(drag.number, .cancel, by: drag.owner.id)
        drags.removeAll { $0 === drag }
    }

    /// Drops an item as a client does: it moves the item to the target that the server sent. Most
    /// drops have a target; if no drag has one, a dragged item is moved instead.
    func drop() throws {
        let settled = drags.filter { $0.landing == nil && $0.toldUpdate == $0.update }
        let moved = random.chance(80) ? settled.filter { $0.target != nil } : settled
        guard let drag = random.pick(moved) else { return try update() }
        let member = drag.owner
        let before = room.state.engine.revision
        if let target = drag.target {
            member.counter += 1
            let transaction = ListTransaction(
                base: member.view.revision ?? 0,
                operations: [.move(drag.item, to: target.placement)])
            _ = room.receive(
                try PackedTransaction(transaction), counter: member.counter, from: member.id)
            room.applyQueued()
        }
        try room.settled.drag(drag.number, .end(counter: member.counter), by: member.id)
        let revision = room.state.engine.revision
        drag.point = nil
        if drag.target != nil, revision > before {
            drag.landing = revision
            events.landings += 1
        } else {
            drags.removeAll { $0 === drag }
        }
    }

    /// Ends the drags that the room ends at this snapshot: landed ones, and those whose item is
    /// gone or immovable.
    func settle(in snapshot: Snapshot) {
        var movable: [Identifier: Bool] = [:]
        for item in snapshot.sections.flatMap(\.items) {
            movable[item.id] = item.content.flags.contains(.movable)
        }
        drags.removeAll { drag in
            if let landing = drag.landing, landing <= snapshot.revision { return true }
            let isLost =
                movable[drag.item].map { !$0 } ?? (room.state.engine.path(ofItem: drag.item) == nil)
            if isLost, drag.landing == nil {
                events.losses += 1
                drag.owner.lost = [drag.number]
            }
            return isLost
        }
    }

    // MARK: Checks of screens and targets

    /// Describes what is wrong with a view's screen, or with the target that its member was sent.
    ///
    /// - Parameter shift: by how much the update moved the bounds.
    func difference(
        _ view: ViewerTwin, of member: DraggingTwin, isWhole: Bool, shift: ListPoint = ListPoint()
    ) throws -> String? {
        let own = held(by: member)
        let others = drags.filter { $0 !== own && ($0.isShared || $0.owner === member) }
        var problem: String?
        // Another member's drag is shown at its newest target or at the one just before.
        for choice in 0..<(1 << others.count) {
            var preview = DragPreview(try durableSnapshot())
            var seen: Set<Identifier> = own.map { [$0.item] } ?? []
            var isClear = true
            for (index, drag) in others.enumerated() where seen.insert(drag.item).inserted {
                let target = choice >> index & 1 == 0 ? drag.target : drag.formerTarget
                isClear = preview.hold(drag.item, over: target, at: nil) && isClear
            }
            let base = preview
            let point = own?.point.map { ListPoint(x: $0.x + shift.x, y: $0.y + shift.y) }
            if let own {
                isClear = preview.hold(own.item, over: own.target, at: point) && isClear
            }
            guard isClear else {
                events.unclear += 1
                return nil
            }
            problem = view.difference(from: try preview.screen(in: view.look), isWhole: isWhole)
            if problem == nil, let own, own.isTargetNew, let point {
                problem = try wrongTarget(own, point, view, base)
            }
            if problem == nil { return nil }
        }
        return problem
    }

    /// Describes what is wrong with the target that a member was sent last.
    private func wrongTarget(
        _ drag: DraggingTwin.Drag, _ point: ListPoint, _ view: ViewerTwin, _ base: DragPreview
    ) throws -> String? {
        var preview = base
        guard preview.hold(drag.item, over: drag.formerTarget, at: nil) else { return nil }
        let expected = try preview.target(of: drag.item, at: point, in: view.look, from: base)
        guard expected != drag.target else { return nil }
        return "\(drag.item) at \(point) goes to \(drag.target as Any), not \(expected as Any)"
    }

    // MARK: Edits

    func operation(_ snapshot: Snapshot) throws -> ListOperation {
        let sections = snapshot.sections
        let items = sections.flatMap { $0.items.map(\.id) }
        guard let section = random.pick(sections)?.section.id else {
            return .insertSection(ListSection(id: Identifier("main")), to: Placement())
        }
        let place = Placement(section: section, position: .index(UInt64(random.below(12))))
        switch (random.below(16), random.pick(items)) {
        case (0...1, let item?): return .delete(item)
        case (2...3, let item?): return .move(item, to: place)
        case (4, let item?):
            return .update(item, ItemPatch(size: .set(numbers.size(10...200, 10...200))))
        case (5, let item?):
            let flags: ItemFlags = random.chance(40) ? [] : [.movable]
            return .update(
                item, ItemPatch(flags: FlagChanges(changed: [.movable], enabled: flags)))
        case (6, _):
            let flags: SectionFlags = random.chance(40) ? [] : [.acceptsMoves]
            let change = FlagChanges(changed: [.acceptsMoves], enabled: flags)
            return .updateSection(section, SectionPatch(flags: change))
        case (7...8, _):
            let header = Supplementary(
                kind: Identifier("header"), size: numbers.size(10...40, 10...40))
            return .insertSection(
                ListSection(
                    id: try Identifier("s\(random.below(4))"),
                    content: try SectionContent(supplementaries: [header])),
                to: Placement(position: .index(UInt64(random.below(3)))))
        case (9, _): return .moveSection(section, to: Placement(position: .index(0)))
        case (10, _) where sections.count > 2: return .deleteSection(section)
        default: break
        }
        lastItem += 1
        let size = random.chance(70) ? numbers.size(10...200, 10...200) : nil
        return .insert(
            Item(id: try Identifier("i\(lastItem)"), content: try ItemContent(size: size)),
            to: place)
    }
}
