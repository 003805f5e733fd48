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
        tell(otherMembers.apply(update) { isThere($0) })
        guard otherMembers.heldBytes <= limits.presenceBytes else {
            throw .exceeded(.presenceBytes, limits.presenceBytes)
        }
    }

    /// Updates what is visible of the others, since items were inserted or deleted.
    func reviewOthers() {
        tell(otherMembers.review { isThere($0) })
    }

    /// Removes the others: without a connection nothing is known of them.
    func forgetOthers() {
        tell(otherMembers.removeAll())
    }

    /// Whether there is an item, as far as the client knows. A client without items filters
    /// nothing.
    private func isThere(_ id: Identifier) -> Bool {
        !options.holdsItems || replica.contains(id)
    }

    private func tell(_ differences: [OtherMembers.Difference]) {
        for (client, presence) in differences { observer?.membershipDidSee(client, presence) }
    }
}

extension Stage {
    /// Whether it inserts or deletes items.
    var bringsOrTakesItems: Bool {
        !inserts.isEmpty || !deletes.isEmpty || !deleteSections.isEmpty
    }
}
