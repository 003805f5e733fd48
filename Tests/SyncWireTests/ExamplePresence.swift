import SyncModel
import SyncWire

/// Messages about presence, for the published vectors.
extension ExampleMessages {
    static func clientPresence() throws -> [(name: String, message: ClientMessage)] {
        [
            ("presence", .presence(Presence(room: 7, state: try state()))),
            ("presence of nothing", .presence(Presence(room: 7))),
        ]
    }

    static func serverPresence() throws -> [(name: String, message: ServerMessage)] {
        let ada = Identifier("c-ada")
        return [
            (
                "presence update",
                .presenceUpdate(
                    PresenceUpdate(room: 7, client: ada, user: "ada", state: try state()))
            ),
            (
                "presence update of one with a name to show",
                .presenceUpdate(
                    PresenceUpdate(room: 7, client: ada, user: "ada", displayName: "Ada L."))
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
        let color = Field(name: Identifier("color"), value: .text("teal"))
        return PresenceState(
            selected: [Identifier("milk"), Identifier("eggs")],
            highlighted: [Identifier("milk")], custom: try EncodedValue(.object([color])))
    }
}
