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
            presence.enter(
                member.client, user: member.user.text, displayName: member.displayName, in: handle))
        listeners.add(member)
    }

    /// Removes a member's presence, and shows the others that it has left.
    func leavePresence(_ member: Member) {
        guard member.listening != nil else { return }
        listeners.remove(member)
        presence.leave(member.client)
        member.share.shownBytes.change(to: 0)
        if listeners.isEmpty { forgetDeparted() }
    }

    /// Shows the others what a member drags. A member without presence is shown while it drags.
    /// Otherwise others would see items make room for a dragged one, and not see who drags it.
    func showDragged(_ dragged: DraggedItem?, by member: Member) {
        if member.listening == nil {
            guard dragged != nil else {
                presence.leave(member.client)
                return listeners.isEmpty ? forgetDeparted() : ()
            }
            if !presence.shows(member.client) {
                _ = presence.enter(
                    member.client, user: member.user.text, displayName: member.displayName,
                    in: handle)
            }
        }
        presence.change(member.client) { $0.dragged = dragged }
    }

    /// Removes entries of clients that have left, once all listeners were sent them. Called after
    /// each round of sending, and when the last listener leaves.
    private func forgetDeparted() {
        guard presence.remembersDeparted else { return }
        budget.spend(WorkCost.look.steps(listeners.list.count + presence.count))
        presence.forget(
            through: listeners.list.lazy.compactMap(\.listening?.progress.sent).min() ?? .max)
    }

    // MARK: Sending

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
        guard !members.isEmpty else { return forgetDeparted() }
        var audiences: [Audience] = []
        for member in members {
            guard var progress = member.listening?.progress else { continue }
            let mustStartOver = presence.mustStartOver(progress)
            if mustStartOver { progress = PresenceTable.Progress(sent: 0, begun: presence.version) }
            member.listening?.progress = progress
            let index = audiences.firstIndex {
                $0.sent == progress.sent && $0.mustStartOver == mustStartOver
            }
            if let index {
                audiences[index].members.append(member)
            } else {
                audiences.append(
                    Audience(sent: progress.sent, mustStartOver: mustStartOver, members: [member]))
            }
        }
        // Those first that lack most. The first one is served even if the turn has no steps left.
        audiences.sort { $0.sent < $1.sent }
        var isFirst = true
        for audience in audiences {
            if isFirst || budget.left > 0 {
                sendChanges(to: audience, with: encoder, deliver)
            } else {
                sendLater(audience.members)
            }
            isFirst = false
        }
        forgetDeparted()
    }

    private func sendLater(_ members: some Sequence<Member>) {
        composing.hasMore = true
        for member in members { listeners.lookAgain(at: member) }
    }

    private func sendChanges(
        to audience: Audience, with encoder: MessageEncoder, _ deliver: Send
    ) {
        var frames: [EncodedFrame] = []
        if audience.mustStartOver {
            let message = PresenceUpdate(room: handle, client: nil, left: true)
            frames.append(encoder.encode(.presenceUpdate(message)))
        }
        var places: [Identifier: Int] = [:]
        var bytes = 0
        var sent = presence.version
        for entry in presence.changes(after: audience.sent) {
            if bytes >= Room.presenceDeliveryBytes {
                sent = entry.version - 1
                break
            }
            guard entry.isNews(after: audience.sent) else { continue }
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
                member.listening?.progress.sent = sent
                others.append(member)
                continue
            }
            // A member is not sent its own presence, so each of these gets a delivery of its own.
            guard isFirst || budget.left > 0 else {
                sendLater([member])
                continue
            }
            isFirst = false
            budget.spend(1 + WorkCost.presence.steps(frames.count))
            member.listening?.progress.sent = sent
            var rest = frames
            rest.remove(at: own)
            send(rest, to: [member], deliver)
            if rest.isEmpty, sent < presence.version {
                sendChanges(
                    to: Audience(sent: sent, mustStartOver: false, members: [member]),
                    with: encoder, deliver)
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
    var sent: UInt64
    /// They may show a client whose entry was dropped, and start over.
    var mustStartOver: Bool
    var members: [Member] = []
}
