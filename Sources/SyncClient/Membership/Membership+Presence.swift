package import SyncModel
import SyncWire

// Who else is in the room, and what this member shows them.
extension Membership {
    /// The other members that want to be known, and what is to be seen of them.
    package var others: [Identifier: SeenPresence] { otherMembers.seen }

    func setPresence(_ state: PresenceState) {
        precondition(options.presence, "who shows something has joined with presence")
        ownPresence.set(state, afterTransaction: lastCounter)
    }

    /// Sends what the server does not know yet of what this member shows.
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

    /// Items have come or gone.
    func reviewOthers() {
        tell(otherMembers.review { isThere($0) })
    }

    /// Nothing is known of the others without a connection.
    func forgetOthers() {
        tell(otherMembers.removeAll())
    }

    /// Whether there is an item, as far as one can know: who holds none passes over nothing.
    private func isThere(_ id: Identifier) -> Bool {
        !options.holdsItems || replica.contains(id)
    }

    private func tell(_ differences: [OtherMembers.Difference]) {
        for (client, presence) in differences { observer?.membershipDidSee(client, presence) }
    }
}

extension Stage {
    /// Whether other items are there behind it than before.
    var bringsOrTakesItems: Bool {
        !inserts.isEmpty || !deletes.isEmpty || !deleteSections.isEmpty
    }
}
