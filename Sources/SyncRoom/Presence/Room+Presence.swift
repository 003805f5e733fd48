import SyncBytes
import SyncEngine
import SyncLayout
import SyncModel
package import SyncWire

extension Room {
    /// Bytes of one delivery of presence, about.
    #if DEBUG
        // So small that short random tests reach it.
        static let presenceDeliveryBytes = 100
    #else
        static let presenceDeliveryBytes = Room.deliveryBytes
    #endif

    /// Bytes of the members' presence, and of their drags.
    package var presenceByteCount: Int { presence.byteCount }
    package var dragByteCount: Int { DragTable.bytesOfDrag * drags.list.count }

    /// Whether any member is sent presence.
    package var hasListeners: Bool { !listeners.isEmpty }

    /// Sets the state that a member shows others from now on. The next
    /// ``compose(with:at:deliver:)`` sends it.
    ///
    /// It leaves out items that do not exist in the newest revision, and items whose flags forbid
    /// it. Items need not be durable: an id says nothing to members that do not have the item.
    package func present(_ state: PresenceState, by id: ConnectionID) throws(RoomRefusal) {
        guard let member = members[id] else { return }
        guard member.listening != nil else {
            throw RoomRefusal(
                code: .notAllowed, text: "this connection has joined the room without presence")
        }
        budget.spend(
            1 + WorkCost.shownItem.steps(state.selected.count + state.highlighted.count))
        var shown = state
        // As in a collection view: an item that can't be highlighted can't be selected.
        shown.selected = items(state.selected, that: [.selectable, .highlightable])
        shown.highlighted = items(state.highlighted, that: .highlightable)
        let growth = presence.growth(of: member.client, to: shown)
        guard member.share.shownBytes.reserve(max(0, member.share.shownBytes.count + growth)) else {
            throw RoomRefusal(
                code: .limitExceeded,
                text:
                    "what all members of a room show takes at most \(policy.maximumPresenceBytes)"
                    + " bytes, and of those you have your share")
        }
        presence.change(member.client) { $0.state = shown }
    }

    /// The ids of existing items with these flags, each once.
    private func items(_ ids: [Identifier], that needed: ItemFlags) -> [Identifier] {
        var found: Set<Identifier> = []
        return ids.filter { id in
            guard let flags = state.engine.flags(ofItem: id), flags.isSuperset(of: needed) else {
                return false
            }
            return found.insert(id).inserted
        }
    }

    func enter(_ member: Member) {
        member.listening = Listening(
            presence.enter(member.client, user: member.user, in: handle))
        listeners.add(member)
    }

    /// Removes a member's presence, and shows the others that it has left.
    func leavePresence(_ member: Member) {
        guard member.listening != nil else { return }
        listeners.remove(member)
        presence.leave(member.client)
        member.share.shownBytes.change(to: 0)
        if listeners.isEmpty { forgetGone() }
    }

    /// Shows the others what a member drags. A member without presence is shown while it drags.
    /// Otherwise others would see items make room for a dragged one, and not see who drags it.
    func showDragged(_ dragged: DraggedItem?, by member: Member) {
        if member.listening == nil {
            guard dragged != nil else {
                presence.leave(member.client)
                return listeners.isEmpty ? forgetGone() : ()
            }
            if !presence.shows(member.client) {
                _ = presence.enter(member.client, user: member.user, in: handle)
            }
        }
        presence.change(member.client) { $0.dragged = dragged }
    }

    /// Removes entries of clients that have left, once all listeners were sent them. Called after
    /// each round of sending, and when the last listener leaves.
    private func forgetGone() {
        guard presence.remembersGone else { return }
        budget.spend(WorkCost.look.steps(listeners.list.count + presence.count))
        presence.forget(
            through: listeners.list.lazy.compactMap(\.listening?.progress.told).min() ?? .max)
    }

    // MARK: Telling

    /// The ready members that lack changes of presence.
    func takeListeners() -> [Member] {
        let found = listeners.take(at: presence.version)
        budget.spend(WorkCost.look.steps(found.count))
        return found
    }

    /// Sends members the changes of others' presence: the newest state of each, once. Members
    /// beyond the turn's budget wait for the next turn.
    func composePresence(
        of members: [Member], with encoder: MessageEncoder, deliver: Send
    ) {
        guard !members.isEmpty else { return forgetGone() }
        var audiences: [Audience] = []
        for member in members {
            guard var progress = member.listening?.progress else { continue }
            let isLost = presence.isLost(progress)
            if isLost { progress = PresenceTable.Progress(told: 0, begun: presence.version) }
            member.listening?.progress = progress
            let index = audiences.firstIndex { $0.told == progress.told && $0.isLost == isLost }
            if let index {
                audiences[index].members.append(member)
            } else {
                audiences.append(
                    Audience(told: progress.told, isLost: isLost, members: [member]))
            }
        }
        // Those first that lack most. The first one is served even if the turn has no steps left.
        audiences.sort { $0.told < $1.told }
        var isFirst = true
        for audience in audiences {
            if isFirst || budget.left > 0 {
                tell(audience, with: encoder, deliver)
            } else {
                tellLater(audience.members)
            }
            isFirst = false
        }
        forgetGone()
    }

    private func tellLater(_ members: some Sequence<Member>) {
        composing.hasMore = true
        for member in members { listeners.lookAgain(at: member) }
    }

    private func tell(
        _ audience: Audience, with encoder: MessageEncoder, _ deliver: Send
    ) {
        var frames: [EncodedFrame] = []
        if audience.isLost {
            let message = PresenceUpdate(room: handle, client: nil, left: true)
            frames.append(encoder.encode(.presenceUpdate(message)))
        }
        var places: [Identifier: Int] = [:]
        var bytes = 0
        var told = presence.version
        for entry in presence.changes(after: audience.told) {
            if bytes >= Room.presenceDeliveryBytes {
                told = entry.version - 1
                break
            }
            guard entry.isNews(after: audience.told) else { continue }
            let frame = entry.frame(by: encoder)
            bytes += frame.plain.count
            places[entry.client] = frames.count
            frames.append(frame)
        }
        budget.spend(
            1 + WorkCost.presence.steps(frames.count) + WorkCost.presenceBytes.steps(bytes))
        var others: [Member] = []
        var isFirst = true
        for member in audience.members {
            guard let own = places[member.client] else {
                member.listening?.progress.told = told
                others.append(member)
                continue
            }
            // A member is not sent its own presence, so each of these gets a delivery of its own.
            guard isFirst || budget.left > 0 else {
                tellLater([member])
                continue
            }
            isFirst = false
            budget.spend(1 + WorkCost.presence.steps(frames.count))
            member.listening?.progress.told = told
            var rest = frames
            rest.remove(at: own)
            send(rest, to: [member], deliver)
            if rest.isEmpty, told < presence.version {
                tell(Audience(told: told, isLost: false, members: [member]), with: encoder, deliver)
            }
        }
        budget.spend(WorkCost.delivery.steps(others.count))
        send(frames, to: others, deliver)
    }

    private func send(
        _ frames: [EncodedFrame], to members: [Member], _ deliver: Send
    ) {
        guard !frames.isEmpty, !members.isEmpty else { return }
        for member in members { member.isReady = false }
        deliver(frames, members)
    }
}

/// Members that are sent the same changes.
private struct Audience {
    var told: UInt64
    /// They may show a client whose entry was dropped, and start over.
    var isLost: Bool
    var members: [Member] = []
}
