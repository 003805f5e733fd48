import SyncModel
import SyncWire

extension Collsync_V1_Presence {
    init(_ message: Presence) {
        room = message.room
        selected = message.state.selected.map(\.text)
        highlighted = message.state.highlighted.map(\.text)
        if let custom = message.state.custom { self.custom = Collsync_V1_Value(custom.value) }
    }
}

extension Collsync_V1_PresenceUpdate {
    init(_ message: PresenceUpdate) {
        room = message.room
        selected = message.state.selected.map(\.text)
        highlighted = message.state.highlighted.map(\.text)
        if let custom = message.state.custom { self.custom = Collsync_V1_Value(custom.value) }
        client = message.client?.text ?? ""
        user = message.user
        displayName = message.displayName
        left = message.left
        if let dragged = message.dragged { self.dragged = Collsync_V1_Dragged(dragged) }
    }
}
