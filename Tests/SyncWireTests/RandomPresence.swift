import SeededRandom
import SyncModel
import SyncWire

/// Messages about presence.
extension SplitMix64 {
    mutating func presence() throws -> Presence {
        Presence(room: uint32(), state: try presenceState())
    }

    mutating func presenceUpdate() throws -> PresenceUpdate {
        if chance(10) { return PresenceUpdate(room: uint32(), client: nil, left: true) }
        return PresenceUpdate(
            room: uint32(), client: try identifier(), user: text(atMost: 10),
            displayName: text(atMost: 10), state: try presenceState(), left: chance(20),
            dragged: chance(30) ? try draggedItem() : nil)
    }

    private mutating func presenceState() throws -> PresenceState {
        PresenceState(
            selected: try identifiers(atMost: 4), highlighted: try identifiers(atMost: 4),
            custom: chance(50) ? try EncodedValue(try value(depth: 2)) : nil)
    }
}
