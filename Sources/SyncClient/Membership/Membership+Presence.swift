package import SyncModel
import SyncWire

// The presence of the other members, and of this one.
extension Membership {
    /// The other members that share their presence, and what is visible of it.
    package var others: [Identifier: SeenPresence] { otherMembers.seen }

    func setPresence(_ state: PresenceState) {
        precondition(options.presence, "who shows something has joined with presence")
        ownPresence.set(state, afterTransaction: lastCounter)
    }

    /// Sends this member's presence, if it is still to be sent.
    func pumpPresence(send: (Presence, _ join: RequestID?) -> Void) {
        guard let name, let state = ownPresence.take(firstUnsent: submissions.firstUnsent)
        else { return }
        send(Presence(room: name.handle, state: state), name.join)
    }

    func didReceive(_ update: PresenceUpdate) throws(ClientError) {
        notify(otherMembers.apply(update) { isInRoom($0) })
        guard otherMembers.byteCount <= limits.presenceBytes else {
            throw .exceeded(.presenceBytes, limits.presenceBytes)
        }
    }

    /// Updates what is visible of the others, since items were inserted or deleted.
    func reviewOthers() {
        notify(otherMembers.review { isInRoom($0) })
    }

    /// Removes the others: without a connection nothing is known of them.
    func forgetOthers() {
        notify(otherMembers.removeAll())
    }

    /// Whether there is an item, as far as the client knows. A client without items filters
    /// nothing.
    private func isInRoom(_ id: Identifier) -> Bool {
        !options.keepsItems || replica.contains(id)
    }

    private func notify(_ differences: [OtherMembers.Difference]) {
        for (client, presence) in differences { observer?.membershipDidSee(client, presence) }
    }
}

extension Stage {
    /// Whether it inserts or deletes items.
    var bringsOrTakesItems: Bool {
        !inserts.isEmpty || !deletes.isEmpty || !deleteSections.isEmpty
    }
}
