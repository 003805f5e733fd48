import SyncModel
import SyncWire

/// Messages about presence, as the published vectors show them.
extension ExampleMessages {
    static func clientPresence() throws -> [(name: String, message: ClientMessage)] {
        [
            ("presence", .presence(Presence(room: 7, state: try state()))),
            ("presence of nothing", .presence(Presence(room: 7))),
        ]
    }

    static func serverPresence() throws -> [(name: String, message: ServerMessage)] {
        let ada = try Identifier("c-ada")
        return [
            (
                "presence update",
                .presenceUpdate(
                    PresenceUpdate(room: 7, client: ada, user: "ada", state: try state()))
            ),
            (
                "presence update of one that has left",
                .presenceUpdate(PresenceUpdate(room: 7, client: ada, user: "ada", left: true))
            ),
            (
                "presence update: all are gone",
                .presenceUpdate(PresenceUpdate(room: 7, client: nil, left: true))
            ),
        ]
    }

    private static func state() throws -> PresenceState {
        let color = Field(name: try Identifier("color"), value: .text("teal"))
        return PresenceState(
            selected: [try Identifier("milk"), try Identifier("eggs")],
            highlighted: [try Identifier("milk")], custom: try EncodedValue(.object([color])))
    }
}
