import EngineTwin
import SeededRandom
import SyncClient
import SyncModel
import SyncWire

// The presence that a client shows, and what it sees of others.
extension RoomPart {
    /// Shows a different presence: some items, and a value that is used only once.
    func show(_ session: ClientSession) {
        guard let membership, membership.options.presence else { return }
        let items = held?.sections.flatMap(\.items) ?? []
        var state = PresenceState()
        if let item = machine.random.pick(items) { state.selected = [item.id] }
        if let item = machine.random.pick(items) { state.highlighted = [item.id] }
        let value = Value.text("\(machine.identity.client) \(machine.random.next())")
        state.custom = try? EncodedValue(value)
        shown = state
        session.setPresence(state, of: membership)
    }

    /// What is wrong with the presence of others once no more updates come; `nil` if it is what the
    /// present members showed last.
    func presenceDifference(_ all: [RoomPart]) -> String? {
        guard let membership, membership.options.presence else { return nil }
        let present = all.filter { $0 !== self && $0.name == name && $0.showsItself }
        let clients = Set(present.map { $0.machine.identity.client })
        guard Set(others.keys) == clients else {
            return "\(others.keys.sorted()) are seen, and \(clients.sorted()) are here"
        }
        for other in present {
            let client = other.machine.identity.client
            let seen = others[client]?.state ?? PresenceState()
            let shown = other.shown ?? PresenceState()
            guard seen.custom == shown.custom, Set(seen.selected).isSubset(of: shown.selected),
                Set(seen.highlighted).isSubset(of: shown.highlighted)
            else { return "\(seen) is seen of \(client), who shows \(shown)" }
            let dragged = others[client]?.dragged
            guard dragged == other.dragged else {
                return "\(dragged as Any) is seen of \(client), who drags \(other.dragged as Any)"
            }
        }
        return nil
    }

    private var showsItself: Bool { membership?.options.presence == true }

    func membershipDidSee(_ client: Identifier, _ presence: SeenPresence?) {
        // Its process may die while the session tells it that a connection is lost.
        guard membership != nil else { return }
        if client == machine.identity.client {
            evidence.accuse(.brokenProtocol, "\(machine.host) is told of itself")
        }
        if presence == nil, others[client] == nil {
            evidence.accuse(.brokenProtocol, "\(machine.host) is told of \(client), who was gone")
        }
        others[client] = presence
    }
}
