import SyncEngine
import SyncLayout
import SyncModel
package import SyncWire

/// An item that a member drags over one of its views. It ends when the item is put back, or when it
/// is dropped and its move is durable.
///
/// The item and its target are known by their keys. So edits of others may move them, but do not
/// change what the drag means.
final class ItemDrag {
    /// A place after an item, or at the beginning of a section.
    struct Target: Equatable {
        var section: ThingKey
        var after: ThingKey?
        /// The index in the section, without the dragged item, when the target was found. It is
        /// used when the item `after` is no longer in the section.
        var index: Int

        static func == (left: Target, right: Target) -> Bool {
            left.section == right.section && left.after == right.after
        }
    }

    let number: DragNumber
    let member: Member
    let view: RoomView
    let item: ThingKey
    let id: Identifier
    /// Its place among the room's shared drags; `nil` if others do not see items make room for it.
    fileprivate(set) var place: Charge?
    var isShared: Bool { place != nil }
    /// The number of the client's last update.
    var update: UInt64 = 0
    /// Whether the target of that update is still to be found.
    var isTargetPending = false
    /// Where the item would go; `nil` if it would stay where it is.
    var target: Target?
    var isTargetSent = false
    /// The revision of the move, once the item is dropped. The preview stays until that is durable.
    var moveRevision: Revision?

    init(
        _ number: DragNumber, of item: ThingKey, _ id: Identifier, by member: Member,
        in view: RoomView, place: Charge?
    ) {
        self.number = number
        self.item = item
        self.id = id
        self.member = member
        self.view = view
        self.place = place
    }
}

/// The drags of a room's members, in the order in which they began.
///
/// A member drags one item at a time. The table also has the member's last few dropped items whose
/// moves are not durable yet.
struct DragTable {
    private(set) var list: [ItemDrag] = []
    /// Counts the changes of shared drags.
    private(set) var version: UInt64 = 0
    /// The durable and the applied revision for which all drags were checked last.
    var checkedAt: [Revision] = []

    /// How many dropped items of a member may wait for their moves.
    static let maximumDropped = 8
    /// Bytes of a drag, about.
    static let bytesOfDrag = 512

    func active(by member: Member) -> ItemDrag? {
        list.last { $0.member === member && $0.moveRevision == nil }
    }

    mutating func add(_ drag: ItemDrag) {
        list.append(drag)
        checkedAt = []
    }

    mutating func remove(_ drag: ItemDrag) {
        list.removeAll { $0 === drag }
        didChange(drag)
        drag.place = nil
    }

    /// Records that a drag has changed, if others see it.
    mutating func didChange(_ drag: ItemDrag) {
        if drag.isShared { version += 1 }
    }
}

/// The steps of members' drags. The next ``compose(with:at:deliver:)`` sends what changed. A step
/// of a drag that has ended is ignored.
extension Room {
    /// Applies a step of a member's drag. If it throws, the drag has ended or never began.
    package func drag(
        _ number: DragNumber, _ step: Drag.Step, by id: ConnectionID
    ) throws(RoomRefusal) {
        guard let member = members[id] else { return }
        budget.spend(WorkCost.shownItem.steps() + WorkCost.look.steps(drags.list.count))
        if case .begin(let item, let view, let isShared) = step {
            return try begin(number, item, view, isShared: isShared, by: member)
        }
        guard let drag = drags.active(by: member), drag.number == number else { return }
        switch step {
        case .begin: break
        case .update(let point, let update, let seen):
            guard point.x.isFinite, point.y.isFinite else {
                end(drag)
                throw RoomRefusal(
                    code: .badDrag, text: "the numbers of a drag's point are finite")
            }
            drag.view.dragPoint = drag.view.viewport.place(of: point, seen: seen)
            drag.view.isChanged = true
            drag.update = update
            drag.isTargetPending = true
        case .end(let counter): drop(drag, with: counter)
        case .cancel: end(drag)
        }
    }

    private func begin(
        _ number: DragNumber, _ id: Identifier, _ view: ViewNumber, isShared: Bool,
        by member: Member
    ) throws(RoomRefusal) {
        guard place.isHere else { throw .storeFailed }
        guard let view = member.viewing.views.first(where: { $0.number == view }) else {
            throw RoomRefusal(code: .badDrag, text: "view \(view) is not open")
        }
        guard drags.active(by: member) == nil else {
            throw RoomRefusal(
                code: .badDrag, text: "one drag at a time: end or cancel the one before")
        }
        guard let item = state.engine.key(ofItem: id), let flags = state.engine.flags(ofItem: id)
        else { throw RoomRefusal(code: .badDrag, text: "there is no item '\(id)'") }
        guard flags.contains(.movable) else { throw .notMovable }
        let place = isShared ? member.share.places.sharedDrags.reserve(1) : nil
        guard !isShared || place != nil else {
            throw RoomRefusal(
                code: .limitExceeded,
                text:
                    "a room has at most \(policy.maximumSharedDrags) shared drags, and of those you have"
                    + " your share")
        }
        let drag = ItemDrag(number, of: item, id, by: member, in: view, place: place)
        // If the member drags it again before its last move is durable, it continues from there.
        drag.target = drags.list.last { $0.member === member && $0.item == item }?.target
        drags.add(drag)
        view.isChanged = true
        showDrag(of: member)
    }

    // MARK: The end

    /// Drops a drag's item. The preview stays until the move is durable. If there is no such move,
    /// the drag ends at once.
    private func drop(_ drag: ItemDrag, with counter: UInt64) {
        let state = state
        guard let author = author(of: drag.member, in: state),
            case .committed(let commit) = state.authors.find(counter, of: author),
            commit.revision > durableRevision
        else { return end(drag) }
        drag.moveRevision = commit.revision
        drag.view.dragPoint = nil
        drag.view.isChanged = true
        let dropped = drags.list.filter { $0.member === drag.member && $0.moveRevision != nil }
        if dropped.count > DragTable.maximumDropped, let first = dropped.first { end(first) }
    }

    /// Ends a drag. Its view then shows the item where the room has it.
    private func end(_ drag: ItemDrag) {
        if drag.moveRevision == nil { drag.view.dragPoint = nil }
        drag.view.isChanged = true
        drags.remove(drag)
        showDrag(of: drag.member)
    }

    private func revoke(_ drag: ItemDrag, _ refusal: RoomRefusal) {
        end(drag)
        if drag.moveRevision == nil { drag.member.viewing.revokedDrag = (drag.number, refusal) }
    }

    func endDrags(of member: Member) {
        for drag in drags.list where drag.member === member { end(drag) }
    }

    func endDrags(in view: RoomView) {
        for drag in drags.list where drag.view === view { end(drag) }
    }

    /// Ends all drags, as the log has failed.
    func endDrags() {
        for drag in drags.list { revoke(drag, .storeFailed) }
    }

    /// Ends the drags whose moves are durable now, and those whose items were deleted or can't be
    /// moved any more.
    func settleDrags() {
        let now = [durableRevision, state.engine.revision]
        guard drags.checkedAt != now,
            let window = state.engine.window(at: durableRevision)
        else { return }
        drags.checkedAt = now
        budget.spend(WorkCost.shownItem.steps(drags.list.count))
        for drag in drags.list {
            if let move = drag.moveRevision, move <= durableRevision {
                end(drag)
            } else if let flags = window.flags(ofItem: drag.item) {
                if !flags.contains(.movable) { revoke(drag, .notMovable) }
            } else if state.engine.key(ofItem: drag.id) != drag.item {
                revoke(drag, .deleted)
            }
        }
    }

    // MARK: Sending

    private func showDrag(of member: Member) {
        let drag = drags.list.last { $0.member === member }
        let dragged = drag.map { drag in
            DraggedItem(item: drag.id, target: drag.isShared ? target(of: drag) : nil)
        }
        showDragged(dragged, by: member)
    }

    func dragNews(for member: Member) -> [ServerMessage] {
        var news: [ServerMessage] = []
        if let revoked = member.viewing.revokedDrag {
            counts.count(revoked.refusal.code)
            news.append(.error(revoked.refusal.message(about: .drag(revoked.number, in: handle))))
            member.viewing.revokedDrag = nil
        }
        if let drag = drags.active(by: member), !drag.isTargetSent, !drag.isTargetPending {
            drag.isTargetSent = true
            news.append(
                .dragTarget(
                    DragTarget(
                        room: handle, number: drag.number, update: drag.update,
                        target: target(of: drag))))
        }
        return news
    }

    /// The target of a drag, if its section is durable.
    private func target(of drag: ItemDrag) -> DropTarget? {
        // If the log fails while a worker has the state, drags end while the room has none.
        guard place.isHere || place.isReopening, let target = drag.target,
            let window = state.engine.window(at: durableRevision),
            let section = window.id(of: target.section)
        else { return nil }
        guard let after = target.after else { return DropTarget(section: section) }
        return window.id(of: after).map { DropTarget(section: section, after: $0) }
    }

    /// Records where a drag's item would go now.
    func didFind(_ target: ItemDrag.Target?, of drag: ItemDrag) {
        if drag.isTargetPending { drag.isTargetSent = false }
        drag.isTargetPending = false
        let isSame = target == drag.target
        drag.target = target
        if isSame { return }
        drag.isTargetSent = false
        drags.didChange(drag)
        showDrag(of: drag.member)
    }
}
