import SyncBytes
import SyncEngine
import SyncLayout
import SyncModel
package import SyncWire

extension Room {
    /// How many bytes one delivery of presence holds, about.
    #if DEBUG
        // Short random tests are to come to it.
        static let presenceDeliveryBytes = 100
    #else
        static let presenceDeliveryBytes = Room.deliveryBytes
    #endif

    /// How many bytes are held of what members show each other, and of what they drag.
    package var presenceByteCount: Int { presence.byteCount }
    package var dragByteCount: Int { DragTable.bytesOfDrag * drags.list.count }

    /// Whether somebody is told who is here.
    package var hasListeners: Bool { !listeners.isEmpty }

    /// Takes what a member shows the others from now on; they are told with the next
    /// ``compose(with:at:deliver:)``.
    ///
    /// Items that do not live, as far as all that came is applied, and those whose flags forbid it,
    /// are left out. They need not be durable: an id says nothing to those who hold no item of it.
    package func present(_ state: PresenceState, by id: ConnectionID) throws(RoomRefusal) {
        guard let member = members[id] else { return }
        guard member.listening != nil else {
            throw RoomRefusal(
                code: .notAllowed, text: "this connection has joined the room without presence")
        }
        budget.spend(
            1 + WorkCost.shownItem.steps(state.selected.count + state.highlighted.count))
        var shown = state
        // As in a collection view: what can't be highlighted can't be selected.
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

    /// The items that live and have some flags, each once.
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

    /// Shows that a member is gone, if it was shown.
    func leavePresence(_ member: Member) {
        guard member.listening != nil else { return }
        listeners.remove(member)
        presence.leave(member.client)
        member.share.shownBytes.change(to: 0)
        if listeners.isEmpty { forgetGone() }
    }

    /// Shows the others what a member drags. One who is not shown otherwise is as long as it drags:
    /// nobody is to see a place being made for an item, and not by whom.
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

    /// Forgets who has left, where all know. Called whenever members are told, or if there are
    /// none.
    private func forgetGone() {
        guard presence.remembersGone else { return }
        budget.spend(WorkCost.look.steps(listeners.list.count + presence.count))
        presence.forget(
            through: listeners.list.lazy.compactMap(\.listening?.progress.told).min() ?? .max)
    }

    // MARK: Telling

    /// The members that lack something of the others and can take it.
    func takeListeners() -> [Member] {
        let found = listeners.take(at: presence.version)
        budget.spend(WorkCost.look.steps(found.count))
        return found
    }

    /// Tells members what is different with the others: the newest state of each, once. Those that
    /// a turn does not suffice for come in the next one.
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
        // Those first that have waited longest. One piece at least is done, whatever was done
        // before.
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
            // Each of these has a delivery of its own.
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

/// Those who are to be told the same.
private struct Audience {
    var told: UInt64
    /// They may know of somebody who is forgotten.
    var isLost: Bool
    var members: [Member] = []
}
