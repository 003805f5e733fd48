package import SyncWire

/// What clients ask for that they may not be allowed.
package enum RequestKind: String, CaseIterable, Sendable {
    case join
    case submit
    case view
    case drag
    case presence
    case readSnapshot
    case readHistory
    case readStats
    case deleteRoom
    case listRooms
}

/// Who asks for what.
package struct GateRequest: Sendable {
    /// As whom the connection has signed in; empty if it has not.
    package let user: String
    package let role: Role
    package let kind: RequestKind
    /// The room that it is about, if it is about one.
    package let room: RoomName?
}

/// Says who may ask for what. Nothing reaches a room but through it: of transactions, one of each run that a
/// connection sends a room. To say hello, to leave and to tell that one is there is always allowed.
package protocol Gate: Sendable {
    /// As whom a connection from an address has signed in, when it says hello; `nil` if it has not.
    func user(at peer: String) -> String?

    /// Whether a request may be made. Called on any loop, and quick.
    func allows(_ request: GateRequest) -> Bool
}

extension Gate {
    package func user(at peer: String) -> String? { nil }
}

/// Allows everything.
package struct OpenGate: Gate {
    package init() {}

    package func allows(_ request: GateRequest) -> Bool { true }
}
