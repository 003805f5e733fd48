import SyncServer

/// What the metrics need to know of the current request.
struct RequestRecord {
    /// What it asks for; `nil` if that is not known, or nothing that there is.
    var route: Route?
    /// When its head was read (`GatewayConnection.workedMicroseconds`).
    let began: UInt64

    /// Whether its time counts. A stream of events ends when the client wishes.
    var isTimed: Bool { route != .events }
}
